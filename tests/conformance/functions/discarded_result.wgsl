// The result of a call may be thrown away by a phony assignment; its side effects stay.
//: in  0:0 u32 3
//: out 0:1 u32 9
@group(0) @binding(0) var<storage, read> a: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 1>;

fn push(x: u32) -> u32 {
    out[0] += x;
    return out[0];
}

@compute @workgroup_size(1)
fn main() {
    _ = push(a);
    _ = push(a) + push(a);
}
