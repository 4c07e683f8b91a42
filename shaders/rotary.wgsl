// Rotary positions (Su et al. 2021): rotates queries and keys in place. An invocation rotates the pair of columns (i, i
// + head_dim / 2) of a head. Cosines and sines come from the host, because WGSL does not guarantee their accuracy for
// large angles.

struct Params {
    /// rows of qkv
    rows: u32,
    /// columns of a row of qkv, in whole groups
    stride: u32,
    /// columns of one head, an even number
    head_dim: u32,
    /// heads of queries and keys together; the keys follow the queries
    heads: u32,
    /// index in the list of the first row's position
    positions_start: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> qkv: array<f32>; // [rows, stride]
@group(0) @binding(2) var<storage, read> list: array<u32>;
/// Cosine and sine, [positions, head_dim / 2].
@group(0) @binding(3) var<storage, read> turns: array<vec2<f32>>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    let half = params.head_dim / 2u;
    let row = at / (params.heads * half);
    if (row >= params.rows) {
        return;
    }
    let i = at % half;
    let head = at / half % params.heads;
    let turn = turns[list[params.positions_start + row] * half + i];
    let low = row * params.stride + head * params.head_dim + i;
    let a = qkv[low];
    let b = qkv[low + half];
    qkv[low] = a * turn.x - b * turn.y;
    qkv[low + half] = b * turn.x + a * turn.y;
}
