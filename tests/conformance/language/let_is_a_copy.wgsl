// let takes the value once; later changes of the variable do not show.
//: in  0:0 u32 5
//: out 0:1 u32 5 6 1 2
@group(0) @binding(0) var<storage, read> a: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 4>;

@compute @workgroup_size(1)
fn main() {
    var x = a;
    let before = x;
    x += 1u;
    out[0] = before;
    out[1] = x;
    var list = array(1u, 1u);
    let copy = list;
    list[0] = 2u;
    out[2] = copy[0];
    out[3] = list[0];
}
