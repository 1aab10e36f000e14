fn integers(a: u32, b: u32, c: u32) -> u32 {
    var r = a + b * c - (a - b) - (c - a);
    r = (a + b) * c / (b * c) % a;
    r = (a << 1u) + (b >> (c & 31u));
    r = (a & b) | ((c & a) ^ (b | c));
    r = a & b & c;
    r = (a & (b & c)) + ~a;
    r = (a + 1u) << (b + 1u);
    return r;
}

fn signs(x: i32, f: f32) -> f32 {
    let a = -(-x);
    let b = x - -x;
    let c = -x * x;
    let d = -(x * x);
    let e = ~-x;
    return -f - -1.5 * -(f + 1.0) + f32(a + b + c + d + e);
}

fn conditions(a: i32, b: i32, c: i32, p: bool, q: bool) -> bool {
    var r = (a < b && b < c) || p;
    r = (p || q) && !(a == b);
    r = (a < b) == (b < c);
    r = (p & q) | r;
    r = !(p && (q && r));
    return select((a < b), c > a, r) || any(vec2<bool>((a < b), c > a));
}

fn postfix(v: vec3<f32>, m: mat3x3<f32>) -> f32 {
    return (v + v).x + (m * v).yz.x + (-v).z + m[1].x + (m * 2.0)[2].y;
}

fn shifted(a: u32, b: u32) -> u32 {
    var r = select(5u, 0u, a * b < (b >> 9u));
    if a < (b >> 1u) {
        r += 1u;
    }
    if a >> 1u < b && a > b >> 2u && a <= b >> 3u {
        r += 2u;
    }
    return r;
}
