// Declarations may be used before they are written.
//: in  0:0 u32 4
//: out 0:1 u32 14
@compute @workgroup_size(1)
fn main() {
    out = later(a) + LATE;
}

fn later(x: u32) -> u32 {
    return x + latest();
}

fn latest() -> u32 {
    return 2u * HALF;
}

const LATE = HALF + HALF / 2u;
const HALF = 3u + 1u - 1u;
@group(0) @binding(0) var<storage, read> a: u32;
@group(0) @binding(1) var<storage, read_write> out: u32;
