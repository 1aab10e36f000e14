// arrayLength counts whole elements of the bound range.
//: in  0:0 u32 0*7
//: in  0:1 u32 0*11
//: in  0:2 u32 0*9
//: out 0:3 u32 7 2 3
@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> vectors: array<vec3<u32>>;
@group(0) @binding(2) var<storage, read_write> pairs: Pairs;
@group(0) @binding(3) var<storage, read_write> out: array<u32, 3>;

struct Pairs {
    count: u32,
    items: array<vec2<u32>>,
}

@compute @workgroup_size(1)
fn main() {
    out = array(arrayLength(&words), arrayLength(&vectors), arrayLength(&pairs.items));
}
