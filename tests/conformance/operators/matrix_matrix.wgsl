// The product of an R1 x K and a K x C2 matrix; matCxR names columns first.
//: in  0:0 f32 1 2 3 4 5 6
//: out 0:1 f32 22.0 28.0 49.0 64.0   9.0 12.0 15.0 19.0 26.0 33.0 29.0 40.0 51.0
@group(0) @binding(0) var<storage, read> v: array<f32, 6>;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 13>;

@compute @workgroup_size(1)
fn main() {
    let a = mat3x2<f32>(v[0], v[1], v[2], v[3], v[4], v[5]);
    let b = mat2x3<f32>(v[0], v[1], v[2], v[3], v[4], v[5]);
    let ab: mat2x2<f32> = a * b;
    let ba: mat3x3<f32> = b * a;
    for (var column = 0u; column < 2u; column++) {
        for (var row = 0u; row < 2u; row++) {
            out[column * 2u + row] = ab[column][row];
        }
    }
    for (var column = 0u; column < 3u; column++) {
        for (var row = 0u; row < 3u; row++) {
            out[4u + column * 3u + row] = ba[column][row];
        }
    }
}
