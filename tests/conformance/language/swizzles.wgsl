// Swizzles pick, repeat and reorder components, as xyzw or rgba.
//: in  0:0 u32 1 2 3 4
//: out 0:1 u32 4 3 2 1   1 1 2 2   3 1 3 1   2 3 0 0
@group(0) @binding(0) var<storage, read> v: vec4<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<u32>, 4>;

@compute @workgroup_size(1)
fn main() {
    out[0] = v.wzyx;
    out[1] = v.rrgg;
    out[2] = v.xyz.zx.xyxy;
    out[3] = vec4(v.yz, 0u, 0u);
}
