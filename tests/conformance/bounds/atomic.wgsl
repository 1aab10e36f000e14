// An atomic operation out of range changes nothing and returns zero.
//: in  0:0 u32 5 6
//: in  0:1 u32 1 2 MAX
//: out 0:2 u32 6 0 0
//: out 0:0 u32 5 16
@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read> at: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = atomicAdd(&a[at[i]], 10u);
}
