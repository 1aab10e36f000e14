// Atomic addition and subtraction wrap around.
//: in  0:0 u32 MAX 0
//: in  0:1 i32 MAX MIN
//: out 0:0 u32 1 MAX
//: out 0:1 i32 MIN MAX
@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> b: array<atomic<i32>, 2>;

@compute @workgroup_size(1)
fn main() {
    atomicAdd(&a[0], 2u);
    atomicSub(&a[1], 1u);
    atomicAdd(&b[0], 1);
    atomicSub(&b[1], 1);
}
