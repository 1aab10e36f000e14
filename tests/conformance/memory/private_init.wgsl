// Private variables start at zero or at their initialiser, anew for each invocation.
//: in  0:0 u32 1 2 3 4
//: out 0:1 u32 6 7 8 9
//: out 0:2 f32 0.5 0.5 0.5 0.5
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> floats: array<f32>;

var<private> zero: u32;
var<private> five: u32 = 2u + 3u;
var<private> list: array<f32, 3> = array(1.0, 0.5, 0.25);

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    zero += a[i];
    five += zero;
    out[i] = five;
    floats[i] = list[a[0]];
    list[1] = 9.0;
}
