// Storage buffers may be declared coherent, volatile, or both; what they hold is the same as without.
//: needs memory_decorations
//: in  0:0 u32 1 2 3 4
//: in  0:1 u32 10 20 30 40
//: in  0:2 u32 0 0 0 0
//: out 0:0 u32 11 22 33 44
//: out 0:1 u32 9 18 27 36
//: out 0:2 u32 20 40 60 80
@group(0) @binding(0) @coherent var<storage, read_write> a: array<u32>;
@group(0) @binding(1) @volatile var<storage, read_write> b: array<u32>;
@group(0) @binding(2) @coherent @volatile var<storage, read_write> c: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    a[i] += b[i];
    b[i] -= i + 1u;
    c[i] = a[i] + b[i];
}
