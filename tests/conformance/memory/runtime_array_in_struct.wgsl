// A runtime array at the end of a struct begins at its own alignment.
//: in  0:0 u32 3 0*3   1 2 3 4  5 6 7 8
//: out 0:1 u32 3 2 5 8
@group(0) @binding(0) var<storage, read> list: List;
@group(0) @binding(1) var<storage, read_write> out: vec4<u32>;

struct List {
    head: u32,
    items: array<vec4<u32>>,
}

@compute @workgroup_size(1)
fn main() {
    out = vec4(list.head, arrayLength(&list.items), list.items[1].x, list.items[1].w);
}
