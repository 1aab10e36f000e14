// Quad operations move vectors of every type.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 f32 2.0 -1.0 1.0 1.0 3.0 -2.0 1.5 1.0 0.0 1.0 0.0 1.0 1.0 0.0 0.5 1.0 6.0 -5.0 3.0 1.0 7.0 -6.0
//::     3.5 1.0 4.0 -3.0 2.0 1.0 5.0 -4.0 2.5 1.0
//: out 0:1 i32 -1 -1 -1 -2 -1 -3 -1 -4 -5 3 -5 2 -5 1 -5 0
@group(0) @binding(0) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> ints: array<vec2<i32>>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = f32(i);
    out[i] = quadSwapY(vec4(x, 1.0 - x, x * 0.5, 1.0));
    ints[i] = vec2(quadBroadcast(vec2(0, -i32(i)), 1u).y, quadSwapDiagonal(vec3(i32(i) - 4)).z);
}
