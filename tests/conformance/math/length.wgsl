// length and distance are the square root of the sum of squares; of a scalar, the absolute value.
//: in  0:0 f32 3 -4 12 84
//: out 0:1 f32 within LENGTH_ULP_6_5 5 13 85 4   15.556349186104045 4
@group(0) @binding(0) var<storage, read> a: vec4<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 6>;

@compute @workgroup_size(1)
fn main() {
    out[0] = length(a.xy);
    out[1] = length(a.xyz);
    out[2] = length(a);
    out[3] = length(a.y);
    out[4] = distance(a.xy, a.yx + vec2(-4.0, 4.0));
    out[5] = distance(a.x, a.x + a.y);
}
