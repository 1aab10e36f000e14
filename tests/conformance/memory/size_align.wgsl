// @size and @align move the members behind them.
// Offsets: a 0, b 32, c 36, d 64; the whole is 128 bytes, a multiple of its alignment.
//: in  0:0 u32 1 0*7 2 3 0*6 4 0*15
//: out 0:1 u32 1 2 3 4
@group(0) @binding(0) var<storage, read> s: Spread;
@group(0) @binding(1) var<storage, read_write> out: vec4<u32>;

struct Spread {
    @size(20) a: u32,
    @align(32) b: u32,
    c: u32,
    @align(64) d: u32,
}

@compute @workgroup_size(1)
fn main() {
    out = vec4(s.a, s.b, s.c, s.d);
}
