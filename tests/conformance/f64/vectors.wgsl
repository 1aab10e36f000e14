// Vectors of f64: constructors, swizzles, operators, selection, dynamic components.
//: needs f64
//: in  0:0 f64 1 2 3 4
//: in  0:1 u32 2
//: out 0:2 f64 9 8 5 5 1 2 -3 -4 4 2 3.5 4 0 0 2 0
@group(0) @binding(0) var<storage, read> a: vec4<f64>;
@group(0) @binding(1) var<storage, read> at: u32;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f64>, 4>;

@compute @workgroup_size(1)
fn main() {
    out[0] = a.wzyx * 2lf + vec4(a.xy, 1lf, a[at]);
    out[1] = select(a, -a, a > vec4(2lf));
    var v = a;
    v[at] += 0.5lf;
    v.x = v[at + 1u];
    out[2] = v;
    out[3][at] = a.y;
}
