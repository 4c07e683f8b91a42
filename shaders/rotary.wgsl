// Rotary positions (Su et al. 2021): rotates queries and keys in place. An invocation rotates a pair of columns of a
// head: i and i + head_dim / 2, or 2i and 2i + 1. Cosines and sines come from the host, because WGSL does not guarantee their accuracy for
// large angles.

struct Params {
    /// rows of qkv
    rows: u32,
    /// columns of a row of qkv, in whole groups
    stride: u32,
    /// columns of one head, an even number
    head_dim: u32,
    /// heads of queries and keys together, or of queries, keys and values
    heads: u32,
    /// index in the list of the first row's position
    positions_start: u32,
}

/// If true, neighbouring columns are a pair.
override INTERLEAVED: bool = false;
/// If true, `turns` has the sines and then the cosines of each position. If false, it has pairs of a cosine and a sine.
override TABLE: bool = false;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> qkv: array<f32>; // [rows, stride]
@group(0) @binding(2) var<storage, read> list: array<u32>;
@group(0) @binding(3) var<storage, read> turns: array<f32>; // [positions, head_dim]

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
    let first = list[params.positions_start + row] * params.head_dim;
    let cosine = turns[first + select(2u * i, half + i, TABLE)];
    let sine = turns[first + select(2u * i + 1u, i, TABLE)];
    let step = select(half, 1u, INTERLEAVED);
    let low = row * params.stride + head * params.head_dim + select(i, 2u * i, INTERLEAVED);
    let a = qkv[low];
    let b = qkv[low + step];
    qkv[low] = a * cosine - b * sine;
    qkv[low + step] = b * cosine + a * sine;
}
