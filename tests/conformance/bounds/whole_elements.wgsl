// A whole struct, matrix or array out of range reads as zero, and writing it changes nothing.
//: in  0:0 f32 1 2 3 4  5 6 7 8
//: in  0:1 u32 2
//: out 0:0 f32 1 2 3 4  5 6 7 8
//: out 0:2 f32 0 0 0 0  0 0 0 0
@group(0) @binding(0) var<storage, read_write> a: array<Item>;
@group(0) @binding(1) var<storage, read> at: u32;
@group(0) @binding(2) var<storage, read_write> out: array<Item, 2>;

struct Item {
    pair: array<f32, 2>,
    tail: vec2<f32>,
}

@compute @workgroup_size(1)
fn main() {
    out[0] = a[at];
    out[1].pair = a[at].pair;
    out[1].tail = a[at].tail;
    a[at] = Item(array(9.0, 9.0), vec2(9.0));
    a[at + 1u].tail = vec2(9.0);
}
