// y = activation(x · weightᵀ + bias) for many rows, tile by tile. Operands are vectors of 16 bytes: four 32-bit floats,
// narrowed to 16 bits if arithmetic_f16.wgsl is used, or 16 8-bit integers (arithmetic_int8.wgsl), and a vector's place
// in its row is its group. Sums have 32 bits. In 16 bits only four products are added at a time. The limit of 65,504
// allows 16,376 per product, e.g. a weight of 16 times an activation of 1,000. In 8 bits, the products of two groups,
// which are a block with one scale, are added as integers.
//
// A workgroup computes a tile of ROWS · THREADS_Y rows and COLUMNS · THREADS_X columns. An invocation computes ROWS rows,
// THREADS_Y apart, and COLUMNS columns: four neighbours, then the next four 4 · THREADS_X columns on. Each of SLICES
// slices of the workgroup sums up its share of the groups, and the first one adds the sums. variants.rs sets these
// numbers and repeats the lines between #each and #end, so no loop depends on them and sums stay in registers. Lines for
// some kernels, as INTEGERS, are left out of the others. Rows are quantized by a dispatch of their own or, if the kernel
// ROUNDS, as they are loaded, which saves it but repeats the work in every column of tiles.

/// Invocations that load a row's groups. Their number and its multiples stay within the tile.
const STEP = THREADS / K_GROUPS;

/// If true, the grid's third dimension divides the groups, and y has a part for each division: sums without bias and
/// activation, for linear_sum_parts.wgsl.
override IN_PARTS: bool = false;

// Slot i of a tile of x has the rows i · THREADS_Y and on; slot j of a tile of weights every fourth column. The place
// within a slot comes last and is below THREADS. Compilers that bounds-check workgroup memory then check it once.
var<workgroup> x_tile: array<array<array<array<Operand4, THREADS_Y>, ROWS>, K_GROUPS>, BUFFERS>;
var<workgroup> w_tile: array<array<array<array<Operand4, THREADS_X>, COLUMNS>, K_GROUPS>, BUFFERS>;

#each f INTEGERS
// A scale for each block of the tiles, in the order of the rows and columns of a slot.
var<workgroup> x_scale_tile: array<array<array<array<f32, THREADS_Y>, ROWS>, K_GROUPS / 2u>, BUFFERS>;
var<workgroup> w_scale_tile: array<array<array<array<f32, THREADS_X>, COLUMNS>, K_GROUPS / 2u>, BUFFERS>;
#end

/// Returns where a vector is within its slot. Eight invocations that store the groups of a row, or of neighbouring rows
/// or columns, write to different banks.
fn place(at: u32, group: u32, slot: u32) -> u32 {
    return at ^ (group * SPREAD % 8u + slot % SPREAD);
}

fn store_x(buffer: u32, row: u32, group: u32, value: Loaded4) {
    x_tile[buffer][group][row / THREADS_Y][place(row % THREADS_Y, group, 0u)] = narrow(value);
}

fn store_w(buffer: u32, column: u32, group: u32, value: Loaded4) {
    let slot = column / (4u * THREADS_X) * 4u + column % 4u;
    w_tile[buffer][group][slot][place(column / 4u % THREADS_X, group, slot)] = narrow(value);
}

#each f INTEGERS
/// Stores the scale of a row's block, if this group is its first.
fn store_x_scale(buffer: u32, row: u32, group: u32, value: f32) {
    if (group % 2u == 0u) {
        x_scale_tile[buffer][group / 2u][row / THREADS_Y][row % THREADS_Y] = value;
    }
}

fn store_w_scale(buffer: u32, column: u32, group: u32, value: f32) {
    if (group % 2u == 0u) {
        let slot = column / (4u * THREADS_X) * 4u + column % 4u;
        w_scale_tile[buffer][group / 2u][slot][column / 4u % THREADS_X] = value;
    }
}
#end

#each f ROUNDS
/// Quantizes a block of a row and stores it as number `block` of this step. Rows beyond the last repeat it.
fn store_block(buffer: u32, first: u32, row: u32, begin: u32, block: u32) {
    let values = quantized_block(min(first + row, params.rows - 1u), begin + block);
    let group = 2u * block;
    store_x(buffer, row, group, values.groups[0]);
    store_x(buffer, row, group + 1u, values.groups[1]);
    store_x_scale(buffer, row, group, values.scale / 16129.0); // 127²: both operands count 127ths
}
#end

@compute @workgroup_size(THREADS_X, THREADS_Y, SLICES)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) at: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let column = workgroup.x * COLUMNS * THREADS_X;
    let row = workgroup.y * ROWS * THREADS_Y;
    let end = min((workgroup.z + 1u) * params.part_groups, all_groups());
    let group = index % K_GROUPS;
    let first = index / K_GROUPS;
    var begin = workgroup.z * params.part_groups;
#each f READS_FLOATS
    prepare_x(row, ROWS * THREADS_Y, index, THREADS, workgroup.x == 0u && workgroup.z == 0u);
#end
    // The loads of a step are begun before the products of the step before it.
#each l X_LOADS
    var x#l = x_group(row + first + #lu * STEP, begin + group);
#each f INTEGERS
    var x_scale#l = x_scale(row + first + #lu * STEP, begin + group);
#end
#end
#each l W_LOADS
    var w#l = w_group(column + first + #lu * STEP, begin + group);
#each f INTEGERS
    var w_scale#l = w_scale(column + first + #lu * STEP, begin + group);
#end
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
#each f INTEGERS
        store_x_scale(buffer, first + #lu * STEP, group, x_scale#l);
#end
#end
#each l W_LOADS
        store_w(buffer, first + #lu * STEP, group, w#l);
#each f INTEGERS
        store_w_scale(buffer, first + #lu * STEP, group, w_scale#l);
#end
#end
#each f ROUNDS
        for (var n = index; n < ROWS * THREADS_Y * K_GROUPS / 2u; n += THREADS) {
            store_block(buffer, row, n % (ROWS * THREADS_Y), begin / 2u, n / (ROWS * THREADS_Y));
        }
#end
        workgroupBarrier();
#each l X_LOADS
        x#l = x_group(row + first + #lu * STEP, begin + K_GROUPS + group);
#each f INTEGERS
        x_scale#l = x_scale(row + first + #lu * STEP, begin + K_GROUPS + group);
#end
#end
#each l W_LOADS
        w#l = w_group(column + first + #lu * STEP, begin + K_GROUPS + group);
#each f INTEGERS
        w_scale#l = w_scale(column + first + #lu * STEP, begin + K_GROUPS + group);
#end
#end
#each n FLOAT_GROUPS
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
#each n SLICE_BLOCKS
        {
            let g = at.z * SLICE_GROUPS + 2u * #nu;
            let at_x = place(at.y, g, 0u);
            let then_x = place(at.y, g + 1u, 0u);
#each i ROWS
            let x_#i = x_tile[buffer][g][#i][at_x];
            let then_#i = x_tile[buffer][g + 1u][#i][then_x];
            let scale_#i = x_scale_tile[buffer][g / 2u][#i][at.y];
#end
#each c QUADS
            {
#each j FOUR
                let w_#j = w_tile[buffer][g][4u * #cu + #ju][place(at.x, g, #ju)];
                let then_w_#j = w_tile[buffer][g + 1u][4u * #cu + #ju][place(at.x, g + 1u, #ju)];
                let w_scale_#j = w_scale_tile[buffer][g / 2u][4u * #cu + #ju][at.x];
#end
                let scales = vec4<f32>(w_scale_0, w_scale_1, w_scale_2, w_scale_3);
#each i ROWS
                sum#i_#c += scale_#i * scales
                    * as_floats(dots(dots(ZERO, x_#i, w_0, w_1, w_2, w_3), then_#i, then_w_0, then_w_1, then_w_2, then_w_3));
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
