// An element that the buffer has only a part of does not count.
//: in  0:0 u32 1 2 3 4 5 6 7
//: out 0:1 u32 3 6
@group(0) @binding(0) var<storage, read> pairs: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> out: vec2<u32>;

@compute @workgroup_size(1)
fn main() {
    let length = arrayLength(&pairs);
    out = vec2(length, pairs[length - 1u].y);
}
