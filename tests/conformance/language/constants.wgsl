// Constant expressions are evaluated before the program runs, and const_assert checks them.
//: in  0:0 u32 1
//: out 0:1 i32 17 -2147483648 6 u32 8
@group(0) @binding(0) var<storage, read> one: u32;
@group(0) @binding(1) var<storage, read_write> out: Out;

const N = 2 * 8 + 1;
const LOWEST = -2147483648;
const LIST = array(1, 2, 3);
const SUM = LIST[0] + LIST[1] + LIST[2];
const_assert N == 17;
const_assert SUM == 6 && LOWEST < 0;

struct Out {
    n: i32,
    lowest: i32,
    sum: i32,
    shifted: u32,
}

@compute @workgroup_size(1)
fn main() {
    const SHIFT = 3u;
    const_assert SHIFT < 32u;
    out = Out(N, LOWEST, SUM, one << SHIFT);
}
