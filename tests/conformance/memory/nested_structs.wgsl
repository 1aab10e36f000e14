// Structs in arrays in structs: each is aligned to its widest member.
// Leaf is 16 bytes with `at` at 8; Tree has its leaves at 8 and is 40 bytes.
//: in  0:0 u32 9 0   1 0 f32 0.5 0.25   u32 2 0 f32 1.5 1.25
//: out 0:1 u32 9 1 2 f32 0.25 1.5
@group(0) @binding(0) var<storage, read> tree: Tree;
@group(0) @binding(1) var<storage, read_write> out: Out;

struct Leaf {
    id: u32,
    at: vec2<f32>,
}

struct Tree {
    root: u32,
    leaves: array<Leaf, 2>,
}

struct Out {
    ids: array<u32, 3>,
    coordinates: array<f32, 2>,
}

@compute @workgroup_size(1)
fn main() {
    out.ids = array(tree.root, tree.leaves[0].id, tree.leaves[1].id);
    out.coordinates = array(tree.leaves[0].at.y, tree.leaves[1].at.x);
}
