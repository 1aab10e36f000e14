// Matrices are built from columns, from all components, or from another matrix.
//: in  0:0 f32 1 2 3 4
//: out 0:1 f32 1 2 3 4   3 4 1 2   2 1 4 3   1 2 3 4
@group(0) @binding(0) var<storage, read> v: vec4<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<mat2x2<f32>, 4>;

@compute @workgroup_size(1)
fn main() {
    let m = mat2x2(v.x, v.y, v.z, v.w);
    out[0] = m;
    out[1] = mat2x2(v.zw, v.xy);
    out[2] = mat2x2(m[0].yx, m[1].yx);
    out[3] = mat2x2<f32>(m);
}
