// Some invocations continue: the counter of the loop is the same for all, and the others do the rest of the body.
//: in  0:0 u32 0 1 2 3 128 255 170 85 7 254 16 64
//:: 96 31 127 240 15
//: out 0:1 u32 1112078 1112068 1112066 1112056 1112070 12000 1012036 1112042 1112042 812010 1112073 1112071
//:: 1112065 712021 712008 1112052 712026
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(17)
fn main(@builtin(local_invocation_index) i: u32) {
    var total = 0u;
    var last = 0u;
    var k = 0u;
    for (; k < 12u; k++) {
        if ((a[i] >> (k % 8u)) & 1u) == 1u {
            continue;
        }
        total += k + 1u;
        last = k;
    }
    out[i] = total + 1000u * k + 100000u * last;
}
