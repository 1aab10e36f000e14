// A private variable without an initialiser is zero in every type, for every invocation.
//: workgroups 2
//: out 0:0 u32 0 0 0 0
@group(0) @binding(0) var<storage, read_write> out: array<u32, 4>;

struct Pair {
    x: vec3<i32>,
    flag: bool,
}

var<private> pair: Pair;
var<private> matrix: mat2x3<f32>;
var<private> list: array<array<u32, 2>, 3>;
var<private> flags: vec4<bool>;

@compute @workgroup_size(2)
fn main(@builtin(global_invocation_id) id: vec3u) {
    out[id.x] = u32(any(pair.x != vec3(0))) + u32(pair.flag) * 2u
        + u32(any(matrix[1] != vec3(0.0))) * 4u + list[2][1] + u32(any(flags)) * 8u;
    pair = Pair(vec3(1), true);
    matrix[1].z = 5.0;
    list[2][1] = 16u;
    flags.w = true;
}
