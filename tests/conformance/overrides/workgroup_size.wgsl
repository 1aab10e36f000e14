// An override sizes the workgroup.
//: constant width = 3
//: constant height = 2
//: workgroups 2
//: out 0:0 u32 12
@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;

override width: u32 = 1u;
override height: u32 = 1u;

@compute @workgroup_size(width, height)
fn main() {
    atomicAdd(&count, 1u);
}
