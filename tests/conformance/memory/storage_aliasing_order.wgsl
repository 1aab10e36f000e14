// One invocation sees its own writes to storage in program order.
//: in  0:0 u32 1 2 3
//: out 0:0 u32 3 1 6
@group(0) @binding(0) var<storage, read_write> x: array<u32>;

@compute @workgroup_size(1)
fn main() {
    let p = &x[0];
    let old = *p;
    x[0] = x[2];
    x[1] = old;
    x[2] = *p + x[0];
}
