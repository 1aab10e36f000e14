// u64 and f64 in immediate data are aligned to 8 bytes.
//: needs int64 f64
//: immediates u32 5 0 u64 0x100000000 f64 1 -2
//: out 0:0 u64 0x100000005 0xc000000000000000
struct Immediates {
    a: u32,
    b: u64,
    c: vec2<f64>,
}

var<immediate> data: Immediates;
@group(0) @binding(0) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(1)
fn main() {
    let copy = data;
    out[0] = data.b + u64(data.a);
    out[1] = bitcast<u64>(copy.c.y);
}
