// A runtime array begins behind the last member at its own alignment: 4, 8, 12, 16 or 24 bytes in.
//: in  0:0 u32 9  1 2 3
//: in  0:1 u32 9  9  1 2 3 4
//: in  0:2 f32 9 9 9  1 2 3 4
//: in  0:3 u32 9 0*3  1 2 3 0 4 5 6 0
//: in  0:4 u32 9*5 0  1 2 3 4
//: out 0:5 u32 3 3   2 4   4 4   2 6   2 4
@group(0) @binding(0) var<storage, read> at_4: At4;
@group(0) @binding(1) var<storage, read> at_8: At8;
@group(0) @binding(2) var<storage, read> at_12: At12;
@group(0) @binding(3) var<storage, read> at_16: At16;
@group(0) @binding(4) var<storage, read> at_24: At24;
@group(0) @binding(5) var<storage, read_write> out: array<vec2<u32>, 5>;

struct At4 { head: u32, items: array<u32> }
struct At8 { head: vec2<u32>, items: array<vec2<u32>> }
struct At12 { head: vec3<f32>, items: array<f32> }
struct At16 { head: u32, items: array<vec3<u32>> }
struct At24 { head: array<u32, 5>, items: array<vec2<u32>> }

@compute @workgroup_size(1)
fn main() {
    let lengths = array(
        arrayLength(&at_4.items),
        arrayLength(&at_8.items),
        arrayLength(&at_12.items),
        arrayLength(&at_16.items),
        arrayLength(&at_24.items),
    );
    out[0] = vec2(lengths[0], at_4.items[lengths[0] - 1u]);
    out[1] = vec2(lengths[1], at_8.items[lengths[1] - 1u].y);
    out[2] = vec2(lengths[2], u32(at_12.items[lengths[2] - 1u]));
    out[3] = vec2(lengths[3], at_16.items[lengths[3] - 1u].z);
    out[4] = vec2(lengths[4], at_24.items[lengths[4] - 1u].y);
}
