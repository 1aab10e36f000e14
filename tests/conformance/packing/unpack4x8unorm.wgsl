// unpack4x8unorm divides each byte by 255.
//: in  0:0 u32 0xff7f80 0x1020304 0x81c0e0f0
//: out 0:1 f32 within UNPACK_ULP_3 0.501960784314 0.498039215686 1.0 0.0 0.0156862745098
//:: 0.0117647058824 0.0078431372549 0.00392156862745 0.941176470588 0.878431372549 0.752941176471
//:: 0.505882352941
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = unpack4x8unorm(a[i]);
}
