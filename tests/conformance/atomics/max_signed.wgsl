// atomicMin and atomicMax order i32 as signed and u32 as unsigned.
//: in  0:0 i32 -1 -1
//: in  0:1 u32 MAX MAX
//: out 0:0 i32 -1 1
//: out 0:1 u32 1 MAX
@group(0) @binding(0) var<storage, read_write> a: array<atomic<i32>, 2>;
@group(0) @binding(1) var<storage, read_write> b: array<atomic<u32>, 2>;

@compute @workgroup_size(1)
fn main() {
    atomicMin(&a[0], 1);
    atomicMax(&a[1], 1);
    atomicMin(&b[0], 1u);
    atomicMax(&b[1], 1u);
}
