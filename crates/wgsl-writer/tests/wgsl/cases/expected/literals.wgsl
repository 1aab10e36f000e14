enable f16;

const LEAST: i32 = -2147483648;
const FLOATS: array<f32, 6> = array<f32, 6>(0.1, -0.0, 0x1.fffffep+127, 1e-45, 16777216.0, 1e20);

fn f() -> f32 {
    var a = -5;
    a -= -7;
    var b = 4294967295u;
    b ^= 1u;
    var h = 0.099975586h;
    h *= 2.0h;
    let v = vec3<f32>(0.25, 0.625, -0.75);
    return v.x + f32(h) + f32(a) + f32(b) + FLOATS[a] + -2147483600.0;
}
