// Reads of f16 outside an array give zero, writes vanish; the last half word is inside.
//: needs f16
//: in  0:0 u32 3 4 5 0xffffffff
//: in  0:1 f16 1 2 3 4
//: out 0:1 f16 1 2 3 10
//: out 0:2 f16 4 0 0 0
enable f16;

@group(0) @binding(0) var<storage, read> at: array<u32>;
@group(0) @binding(1) var<storage, read_write> a: array<f16>;
@group(0) @binding(2) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 4u; i++) {
        out[i] = a[at[i]];
    }
    for (var i = 0u; i < 4u; i++) {
        a[at[i]] = f16(i) + 10h;
    }
}
