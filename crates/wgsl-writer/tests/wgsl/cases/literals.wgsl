enable f16;
const LEAST: i32 = -2147483648;
const FLOATS = array<f32, 6>(0.1, -0.0, 3.40282347e38, 1e-45, 16777217.0, 1e20);
fn f() -> f32 {
    var a: i32 = -5;
    a -= -7;
    var b: u32 = 0xffffffffu;
    b ^= 1u;
    var h: f16 = 0.1h;
    h *= 2.0h;
    let v = vec3<f32>(1.0, 2.5, -3.0) * 0.25;
    return v.x + f32(h) + f32(a) + f32(b) + FLOATS[a] + f32(LEAST);
}
