// A pointer to one element of an array may be an argument.
//: in  0:0 u32 2
//: out 0:1 u32 0 0 1
//: deviates lavapipe "naga's SPIR-V writer panics on a pointer to an element as an argument" skip
@group(0) @binding(0) var<storage, read> at: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 3>;

fn bump(p: ptr<function, u32>) {
    *p += 1u;
}

@compute @workgroup_size(1)
fn main() {
    var list: array<u32, 3>;
    bump(&list[at]);
    out = list;
}
