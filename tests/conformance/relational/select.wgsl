// select takes its second argument where the condition is true, for scalars and by component.
//: in  0:0 u32 0 1
//: in  0:1 f32 nan 2 3 4
//: in  0:2 f32 -1 -2 -3 -4
//: out 0:3 f32 nan 2 3 4   -1 -2 -3 -4
//: out 0:4 f32 nan -2 3 -4   -1 2 -3 4
@group(0) @binding(0) var<storage, read> flags: array<u32, 2>;
@group(0) @binding(1) var<storage, read> a: vec4<f32>;
@group(0) @binding(2) var<storage, read> b: vec4<f32>;
@group(0) @binding(3) var<storage, read_write> whole: array<vec4<f32>, 2>;
@group(0) @binding(4) var<storage, read_write> mixed: array<vec4<f32>, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    let flag = flags[i] == 1u;
    whole[i] = select(a, b, flag);
    mixed[i] = select(a, b, vec4(flag, !flag, flag, !flag));
}
