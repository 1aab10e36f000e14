// reverseBits turns all 16 bits round.
//: needs int16
//: in  0:0 u16 0 1 MAX 32768 240 MAX 256 65534
//: out 0:1 u16 0 32768 MAX 1 3840 MAX 128 32767
//: deviates lavapipe "LLVM aborts the process" skip
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = reverseBits(a[i]);
}
