// A pointer to a whole array or struct lets a function change parts of it.
//: in  0:0 u32 1
//: out 0:1 u32 0 5 0   8 9
@group(0) @binding(0) var<storage, read> at: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 5>;

struct Pair {
    x: u32,
    y: u32,
}

fn put(list: ptr<function, array<u32, 3>>, index: u32, value: u32) {
    (*list)[index] = value;
}

fn fill(pair: ptr<function, Pair>) {
    (*pair).x = 8u;
    pair.y = pair.x + 1u;
}

@compute @workgroup_size(1)
fn main() {
    var list: array<u32, 3>;
    var pair: Pair;
    put(&list, at, 5u);
    fill(&pair);
    out = array(list[0], list[1], list[2], pair.x, pair.y);
}
