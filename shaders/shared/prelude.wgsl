// Part of every kernel. A "group" is four neighbouring columns, one vec4. Rows of activations and weights are padded
// with zeros to whole groups.

/// Returns the index of a workgroup. A grid of more than 65,535 workgroups, the limit per dimension, is folded into two
/// dimensions.
fn workgroup_index(workgroup: vec3<u32>, grid: vec3<u32>) -> u32 {
    return workgroup.y * grid.x + workgroup.x;
}
