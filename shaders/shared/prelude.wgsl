// Part of every kernel. A "group" is four neighbouring columns, one vec4: rows of activations and
// weights are filled up with zeros to whole groups.

/// The index of a workgroup in a grid of more than 65,535, which is folded into two dimensions.
fn workgroup_index(workgroup: vec3<u32>, grid: vec3<u32>) -> u32 {
    return workgroup.y * grid.x + workgroup.x;
}
