// A negative 16-bit index is out of bounds, also where 65535 would not be.
//: needs int16
//: in  0:0 i16 -1 2
//: out 0:1 u32 0 6
//: deviates lavapipe "does not end" skip
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> at: array<i16>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<private> a: array<u32, 70000>;

@compute @workgroup_size(1)
fn main() {
    a[65535] = 5u;
    a[2] = 6u;
    for (var i = 0u; i < 2u; i++) {
        out[i] = a[at[i]];
    }
}
