// bool parameters and results, alone and in vectors and structs.
//: in  0:0 u32 0 1
//: out 0:1 u32 7 1
@group(0) @binding(0) var<storage, read> a: array<u32, 2>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 2>;

struct Flags {
    any: bool,
    both: vec2<bool>,
}

fn flags(x: bool, y: bool) -> Flags {
    return Flags(x || y, vec2(x, !y));
}

fn code(f: Flags) -> u32 {
    return u32(f.any) | (u32(f.both.x) << 1u) | (u32(f.both.y) << 2u);
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i] == 1u;
    out[i] = code(flags(!x, x));
}
