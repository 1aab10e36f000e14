// normalize divides a vector by its length.
//: in  0:0 f32 3 -4 12 84
//: out 0:1 f32 within NORMALIZE_ULP_15_5 0.6 -0.8 0.230769230769 -0.307692307692 0.923076923077
//:: 0.0352941176471 -0.0470588235294 0.141176470588 0.988235294118
@group(0) @binding(0) var<storage, read> a: vec4<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 9>;

@compute @workgroup_size(1)
fn main() {
    let two = normalize(a.xy);
    let three = normalize(a.xyz);
    let four = normalize(a);
    out[0] = two.x;
    out[1] = two.y;
    for (var i = 0u; i < 3u; i++) {
        out[2u + i] = three[i];
    }
    for (var i = 0u; i < 4u; i++) {
        out[5u + i] = four[i];
    }
}
