// Uniform buffers form arrays, too.
//: needs uniform_arrays
//: array 0:0 2
//: in 0:0 f32 1 2 3 4  5 6 7 8
//: out 0:1 f32 6 8 10 12
enable wgpu_binding_array;
struct Row { row: vec4<f32> }
@group(0) @binding(0) var<uniform> rows: binding_array<Row, 2>;
@group(0) @binding(1) var<storage, read_write> out: vec4<f32>;
@compute @workgroup_size(1) fn main() { out = rows[0].row + rows[1].row; }
