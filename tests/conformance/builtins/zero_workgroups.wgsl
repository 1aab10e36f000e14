// A dispatch of no workgroups runs nothing.
//: workgroups 3,0,2
//: in  0:0 u32 7
//: out 0:0 u32 7
@group(0) @binding(0) var<storage, read_write> x: array<u32>;

@compute @workgroup_size(1)
fn main() {
    x[0] = 1u;
}
