// The bitwise operators work on each component, of truth values too, and never short-circuit.
//: in  0:0 u32 0xf0 0xff
//: in  0:1 u32 0x3c 0x0f
//: out 0:2 u32 0x30 0x0f  0xfc 0xff  0xcc 0xf0  0xffffff0f 0xffffff00
//: out 0:3 u32 0 1 1 0   2
@group(0) @binding(0) var<storage, read> a: vec2<u32>;
@group(0) @binding(1) var<storage, read> b: vec2<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<vec2<u32>, 4>;
@group(0) @binding(3) var<storage, read_write> flags: array<u32, 5>;

var<private> calls: u32;

fn is_odd(x: u32) -> bool {
    calls++;
    return x % 2u == 1u;
}

@compute @workgroup_size(1)
fn main() {
    out = array(a & b, a | b, a ^ b, ~a);
    let both = (a > b) & vec2(false, true);
    let one = vec2(is_odd(a.y) | is_odd(b.x), false);
    flags = array(u32(both.x), u32(both.y), u32(one.x), u32(one.y), calls);
}
