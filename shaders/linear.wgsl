// y = activation(x · weightᵀ + bias) for many rows, tile by tile. Operands have 32 or 16 bits; sums have 32. In 16 bits
// only four products are added at a time. The limit of 65,504 allows 16,376 per product, e.g. a weight of 16 times an
// activation of 1,000.
//
// A workgroup computes a tile of ROWS · THREADS_Y rows and COLUMNS · THREADS_X columns. An invocation computes ROWS rows,
// THREADS_Y apart, and COLUMNS columns: four neighbours, then the next four 4 · THREADS_X columns on. Each of SLICES
// slices of the workgroup sums up its share of the groups, and the first one adds the sums. variants.rs sets these
// numbers and repeats the lines between #each and #end, so no loop depends on them and sums stay in registers.

/// Invocations that load a row's groups. Their number and its multiples stay within the tile.
const STEP = THREADS / K_GROUPS;

/// If true, the grid's third dimension divides the groups, and y has a part for each division: sums without bias and
/// activation, for linear_sum_parts.wgsl.
override IN_PARTS: bool = false;

// Slot i of a tile of x has the rows i · THREADS_Y and on; slot j of a tile of weights every fourth column. The place
// within a slot comes last and is below THREADS. Compilers that bounds-check workgroup memory then check it once.
var<workgroup> x_tile: array<array<array<array<Operand4, THREADS_Y>, ROWS>, K_GROUPS>, BUFFERS>;
var<workgroup> w_tile: array<array<array<array<Operand4, THREADS_X>, COLUMNS>, K_GROUPS>, BUFFERS>;

/// Returns a group of a row of x; zeros beyond the last.
fn x_group(row: u32, group: u32) -> vec4<f32> {
    var value = vec4<f32>();
    if (row < params.rows && group < params.groups) {
        value = x_at(row, group);
    }
    return value;
}

/// Returns a group of the weights of one column of y; zeros beyond the last.
fn w_group(column: u32, group: u32) -> vec4<f32> {
    var value = vec4<f32>();
    if (column < params.count && group < params.groups) {
        value = weight(column, column * params.groups + group);
    }
    return value;
}

/// Returns where a vector is within its slot. Eight invocations that store the groups of a row, or of neighbouring rows
/// or columns, write to different banks.
fn place(at: u32, group: u32, slot: u32) -> u32 {
    return at ^ (group * SPREAD % 8u + slot % SPREAD);
}

fn store_x(buffer: u32, row: u32, group: u32, value: vec4<f32>) {
    x_tile[buffer][group][row / THREADS_Y][place(row % THREADS_Y, group, 0u)] = narrow(value);
}

fn store_w(buffer: u32, column: u32, group: u32, value: vec4<f32>) {
    let slot = column / (4u * THREADS_X) * 4u + column % 4u;
    w_tile[buffer][group][slot][place(column / 4u % THREADS_X, group, slot)] = narrow(value);
}

@compute @workgroup_size(THREADS_X, THREADS_Y, SLICES)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) at: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let column = workgroup.x * COLUMNS * THREADS_X;
    let row = workgroup.y * ROWS * THREADS_Y;
    let end = min((workgroup.z + 1u) * params.part_groups, params.groups);
    let group = index % K_GROUPS;
    let first = index / K_GROUPS;
    var begin = workgroup.z * params.part_groups;
    prepare_x(row, ROWS * THREADS_Y, index, THREADS, workgroup.x == 0u && workgroup.z == 0u);
    // The loads of a step are begun before the products of the step before it.
#each l X_LOADS
    var x#l = x_group(row + first + #lu * STEP, begin + group);
#end
#each l W_LOADS
    var w#l = w_group(column + first + #lu * STEP, begin + group);
#end
#each i ROWS
#each c QUADS
    var sum#i_#c = vec4<f32>();
#end
#end
    var buffer = 0u;
    for (; begin < end; begin += K_GROUPS) {
#each l X_LOADS
        store_x(buffer, first + #lu * STEP, group, x#l);
#end
#each l W_LOADS
        store_w(buffer, first + #lu * STEP, group, w#l);
#end
        workgroupBarrier();
#each l X_LOADS
        x#l = x_group(row + first + #lu * STEP, begin + K_GROUPS + group);
#end
#each l W_LOADS
        w#l = w_group(column + first + #lu * STEP, begin + K_GROUPS + group);
#end
#each n SLICE_GROUPS
        {
            let g = at.z * SLICE_GROUPS + #nu;
            let at_x = place(at.y, g, 0u);
#each i ROWS
            let x_#i = x_tile[buffer][g][#i][at_x];
#end
#each c QUADS
            {
                let w = Operand4x4(
                    w_tile[buffer][g][4u * #cu][place(at.x, g, 0u)],
                    w_tile[buffer][g][4u * #cu + 1u][place(at.x, g, 1u)],
                    w_tile[buffer][g][4u * #cu + 2u][place(at.x, g, 2u)],
                    w_tile[buffer][g][4u * #cu + 3u][place(at.x, g, 3u)],
                );
#each i ROWS
                sum#i_#c = add_products(sum#i_#c, x_#i, w);
#end
            }
#end
        }
#end
        // With two buffers, the next step is stored while others still read this one.
        if (BUFFERS == 1u) {
            workgroupBarrier();
        }
        buffer = (buffer + 1u) % BUFFERS;
    }
#each s OTHER_SLICES
    if (at.z == #su + 1u) {
#each i ROWS
#each c QUADS
        slice_sums[#i * QUADS + #c][at.y * THREADS_X + at.x] = sum#i_#c;
#end
#end
    }
    workgroupBarrier();
    if (at.z == 0u) {
#each i ROWS
#each c QUADS
        sum#i_#c += slice_sums[#i * QUADS + #c][at.y * THREADS_X + at.x];
#end
#end
    }
    workgroupBarrier();
#end
    if (at.z > 0u) {
        return;
    }
#each i ROWS
#each c QUADS
    finish(workgroup.z, row + at.y + #iu * THREADS_Y, column + 4u * (at.x + #cu * THREADS_X), sum#i_#c);
#end
#end
}

/// Stores four neighbouring sums, or those of one part.
fn finish(part: u32, row: u32, column: u32, sums: vec4<f32>) {
    if (!IN_PARTS) {
        store(row, column, sums);
    } else if (row < params.rows && column < params.count) {
        y[(part * params.rows + row) * ((params.outputs + 3u) / 4u) + (params.first + column) / 4u] = sums;
    }
}
