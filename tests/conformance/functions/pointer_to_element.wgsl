// let pointers to array elements and struct members read and write the original.
//: in  0:0 u32 2
//: out 0:1 u32 0 0 41 0   1 9
@group(0) @binding(0) var<storage, read> at: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 6>;

struct Pair {
    first: u32,
    second: u32,
}

@compute @workgroup_size(1)
fn main() {
    var values: array<u32, 4>;
    var pairs: array<Pair, 3>;
    let element = &values[at];
    *element = 40u;
    *element += 1u;
    let pair = &pairs[at];
    (*pair).first = 1u;
    let second = &(*pair).second;
    *second = 9u;
    for (var i = 0u; i < 4u; i++) {
        out[i] = values[i];
    }
    out[4] = pairs[2].first;
    out[5] = pairs[2].second;
}
