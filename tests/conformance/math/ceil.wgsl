// ceil goes up; -0.5 becomes -0.
//: in  0:0 f32 1.5 -1.5 -0.5 0.0 -0.0 8388608.0 -inf nan 0x1.4484cp-100
//: out 0:1 f32 2.0 -1.0 -0.0 0.0 -0.0 8388608.0 -inf nan            1.0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(9)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = ceil(a[i]);
}
