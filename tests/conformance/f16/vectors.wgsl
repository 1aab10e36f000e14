// Vectors of f16: constructors, swizzles, operators with scalars, selection.
//: needs f16
//: in  0:0 f16 1 2 3 4
//: out 0:1 f16 1 2 3 4 7 5 3 1 1 2 -3 -4 1 9 3.5 4
enable f16;

@group(0) @binding(0) var<storage, read> a: vec4<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4h>;

@compute @workgroup_size(1)
fn main() {
    out[0] = vec4h(a.xy, 3h, f16(a.w));
    out[1] = a.wzyx * 2h - vec4h(1.0);
    out[2] = select(a, -a, a > vec4h(2h));
    var v = a;
    v.y = 9h;
    v[2] += 0.5h;
    out[3] = v;
}
