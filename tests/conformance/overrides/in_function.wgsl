// Overrides in conditions, loop bounds and initialisers of functions that are called.
//: constant rounds = 5
//: in  0:0 u32 2
//: out 0:1 u32 64 1
@group(0) @binding(0) var<storage, read> a: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 2>;

override rounds: u32 = 1u;
override many = rounds > 3u;

fn doubled(x: u32) -> u32 {
    var y = x;
    for (var i = 0u; i < rounds; i++) {
        y *= 2u;
    }
    return y;
}

@compute @workgroup_size(1)
fn main() {
    out[0] = doubled(a);
    if many {
        out[1] = 1u;
    }
}
