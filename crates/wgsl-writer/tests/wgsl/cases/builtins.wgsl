fn math(x: f32, v: vec3<f32>, m: mat3x3<f32>, i: i32, u: u32) -> f32 {
    let a = modf(x); let b = frexp(v);
    var r = a.fract + a.whole + b.fract.x + f32(b.exp.y) + ldexp(x, i);
    r += abs(x) + min(x, 1.0) + clamp(x, 0.0, 1.0) + saturate(x) + fma(x, x, x) + mix(x, 2.0, 0.5) + step(0.5, x) + smoothstep(0.0, 1.0, x);
    r += dot(v, v) + length(cross(v, v)) + distance(v, v) + normalize(v).x + reflect(v, v).y + refract(v, v, 0.5).z + faceForward(v, v, v).x;
    r += determinant(m) + transpose(m)[0][1] + sign(x) + sqrt(x) + inverseSqrt(x) + quantizeToF16(x) + pow(x, 2.0) + exp2(x) + log(x) + atan2(x, x) + degrees(x) + tanh(x);
    r += f32(countOneBits(u) + reverseBits(u) + extractBits(u, 3u, 4u) + insertBits(u, u, 1u, 2u) + firstLeadingBit(u) + firstTrailingBit(u) + countLeadingZeros(u) + countTrailingZeros(u));
    r += f32(pack4x8snorm(vec4(x)) + pack2x16float(v.xy) + pack4xI8(vec4(i)) + pack4xU8Clamp(vec4(u))) + unpack4x8unorm(u).x + unpack2x16snorm(u).y + f32(unpack4xI8(u).z) + f32(dot4I8Packed(u, u)) + f32(dot4U8Packed(u, u));
    r += bitcast<f32>(u) + f32(bitcast<vec3<i32>>(v).x) + f32(bool(u)) + select(x, 1.0, x > 2.0) + select(v, vec3(0.0), v < vec3(1.0)).x;
    return r;
}
fn trunc_all(v: vec4<f32>) -> vec4<i32> { return vec4<i32>(round(v) + floor(v) * ceil(v) - trunc(v) % fract(v)); }
fn bools(a: vec2<bool>, b: vec2<bool>) -> bool { return all(a & b) || any(!a | b) || all(a == b); }
