// bool lives in private and workgroup memory, alone, in vectors and in arrays.
//: in  0:0 u32 0 1 1 0
//: out 0:1 u32 1 0 0 1
@group(0) @binding(0) var<storage, read> a: array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 4>;

var<private> flags: array<bool, 4>;
var<private> pair: vec2<bool>;
var<workgroup> inverted: array<bool, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    flags[i] = a[i] == 1u;
    pair.y = flags[i];
    inverted[i] = !pair.y;
    workgroupBarrier();
    out[i] = u32(inverted[i] && !pair.x);
}
