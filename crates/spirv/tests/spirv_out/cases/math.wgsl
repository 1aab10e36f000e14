@group(0) @binding(0) var<storage, read_write> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> b: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4<u32>>;
@compute @workgroup_size(1) fn main() {
    let v = a[0]; let i = b[0]; let u = c[0];
    a[1] = abs(v) + acos(v) + asin(v) + atan(v) + ceil(v) + cos(v) + cosh(v) + degrees(v) + exp(v) + exp2(v) + floor(v) + fract(v) + inverseSqrt(v) + log(v) + log2(v) + radians(v) + round(v) + saturate(v) + sign(v) + sin(v) + sinh(v) + sqrt(v) + tan(v) + tanh(v) + trunc(v) + acosh(v) + asinh(v) + atanh(v);
    a[2] = atan2(v, v) + clamp(v, v, v) + fma(v, v, v) + max(v, v) + min(v, v) + mix(v, v, v) + mix(v, v, 0.5) + pow(v, v) + smoothstep(v, v, v) + step(v, v) + reflect(v, v) + refract(v, v, 0.5) + faceForward(v, v, v) + normalize(v) + v % v + quantizeToF16(v) + ldexp(v, i);
    a[3] = vec4<f32>(cross(v.xyz, v.xyz), dot(v, v) + length(v) + distance(v, v) + determinant(mat2x2<f32>(v.xy, v.zw)) + length(v.x) + distance(v.x, v.y));
    let m = modf(v); let f = frexp(v); a[4] = m.fract + m.whole + f.fract; b[4] = f.exp;
    let ms = modf(v.x); let fs = frexp(v.y); a[4].x += ms.whole + fs.fract + f32(fs.exp);
    b[1] = abs(i) + clamp(i, i, i) + countLeadingZeros(i) + countOneBits(i) + countTrailingZeros(i) + extractBits(i, 1u, 2u) + firstLeadingBit(i) + firstTrailingBit(i) + insertBits(i, i, 1u, 2u) + max(i, i) + min(i, i) + reverseBits(i) + sign(i) + i / i + i % i + (i << u) + (i >> u) + -i + ~i;
    c[1] = abs(u) + clamp(u, u, u) + countLeadingZeros(u) + countOneBits(u) + countTrailingZeros(u) + extractBits(u, 1u, 2u) + firstLeadingBit(u) + firstTrailingBit(u) + insertBits(u, u, 1u, 2u) + max(u, u) + min(u, u) + reverseBits(u) + u / u + u % u + vec4<u32>(dot(u, u));
    c[2] = vec4<u32>(pack2x16float(v.xy), pack2x16snorm(v.xy), pack2x16unorm(v.xy), pack4x8snorm(v)) + vec4<u32>(pack4x8unorm(v), pack4xI8(i), pack4xU8(u), pack4xI8Clamp(i)) + pack4xU8Clamp(u);
    a[5] = vec4<f32>(unpack2x16float(u.x), unpack2x16snorm(u.y)) + unpack4x8snorm(u.x) + unpack4x8unorm(u.x) + vec4<f32>(unpack2x16unorm(u.x), 0.0, 0.0);
    b[2] = unpack4xI8(u.x) + dot4I8Packed(u.x, u.y) + vec4<i32>(v) + bitcast<vec4<i32>>(v); c[3] = unpack4xU8(u.x) + dot4U8Packed(u.x, u.y) + vec4<u32>(v) + bitcast<vec4<u32>>(i);
    a[6] = select(v, v, v < v) + vec4<f32>(f32(any((v < v) & (v > v) | (v == v)))) + vec4<f32>(f32(all(i != i))) + vec4<f32>(u >= u);
    a[7] = transpose(mat4x4<f32>(v, v, v, v)) * v + v * mat4x4<f32>(v, v, v, v) * mat4x4<f32>(v, v, v, v) + (mat4x4<f32>(v, v, v, v) * 2.0 - mat4x4<f32>(v, v, v, v))[1];
}
