// abs and - of MIN are MIN; sign is -1, 0 or 1.
//: needs int16
//: in  0:0 i16 0 5 -5 MAX MIN -256
//: out 0:1 i16 0 26 14 32764 MAX 767
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = abs(a[i]) * i16(4) + sign(a[i]) - (-a[i]);
}
