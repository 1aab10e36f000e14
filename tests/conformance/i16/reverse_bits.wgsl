// reverseBits turns all 16 bits round.
//: needs int16
//: in  0:0 i16 0 1 MAX MIN 240 -1 256 -2
//: out 0:1 i16 0 MIN -2 1 3840 -1 128 MAX
//: deviates lavapipe "LLVM aborts the process" skip
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = reverseBits(a[i]);
}
