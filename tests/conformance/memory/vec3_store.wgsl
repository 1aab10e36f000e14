// A store of a vec3 leaves the scalar in its gap alone, and the other way round.
//: in  0:0 f32 1 2 3 u32 7   f32 4 5 6 u32 8
//: out 0:0 f32 10 20 30 u32 7   f32 4 5 6 u32 80
@group(0) @binding(0) var<storage, read_write> a: array<Item, 2>;

struct Item {
    place: vec3<f32>,
    tag: u32,
}

@compute @workgroup_size(1)
fn main() {
    a[0].place = a[0].place * 10.0;
    a[1].tag = a[1].tag * 10u;
}
