// A short circuit guards an index: the right side is not read where the left is false.
//: in  0:0 u32 1 0 1
//: out 0:1 u32 1 0 1 0 0
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < arrayLength(&a) && a[i] == 1u {
        out[i] = 1u;
    }
}
