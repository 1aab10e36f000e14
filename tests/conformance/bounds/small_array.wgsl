// Elements of a small array that do not exist are 0 and stay unwritten, in lanes that are active.
//: in  0:0 u32 0x0 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9 0x7fffffff 0x80000000 0xffffffff 0xfffffff8 0x10 0x7 0x6
//::     0x0 0x8 0x3
//: out 0:1 u32 11 198 12 108 13 198 14 198 15 108 16 198 17 198 0 108 0 108 0 108 0 108 0 108 0 108 0 108 17 108
//::     16 206 10 108 0 215 13 108 10 108
//: deviates lavapipe "naga clamps the index into the array" 0:1 u32 11 198 12 108 13 198 14 198 15 108 16 198 17 198
//::     17 108 108 199 109 200 17 108 111 202 112 203 17 108 114 205 16 206 10 108 17 215 13 209 10 108
@group(0) @binding(0) var<storage, read> indices: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(20)
fn main(@builtin(local_invocation_index) i: u32) {
    var a = array(10u, 11u, 12u, 13u, 14u, 15u, 16u, 17u);
    var own = indices[i];
    if i % 3u != 1u {
        a[own] = 100u + i;
    }
    own = indices[(i + 1u) % 20u];
    out[2u * i] = a[own];
    var sum = 0u;
    for (var k = 0u; k < 8u; k++) {
        sum += a[k];
    }
    out[2u * i + 1u] = sum;
}
