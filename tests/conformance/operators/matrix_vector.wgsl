// A matrix times a vector combines columns; a vector times a matrix takes dot products with columns.
// The matrix has the columns (1 2 3) and (4 5 6).
//: in  0:0 f32 1 2 3 4 5 6
//: in  0:1 f32 10 100
//: in  0:2 f32 1 10 100
//: out 0:3 f32 410 520 630   321 654
@group(0) @binding(0) var<storage, read> columns: array<f32, 6>;
@group(0) @binding(1) var<storage, read> two: vec2<f32>;
@group(0) @binding(2) var<storage, read> three: array<f32, 3>;
@group(0) @binding(3) var<storage, read_write> out: array<f32, 5>;

@compute @workgroup_size(1)
fn main() {
    let m = mat2x3<f32>(columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]);
    let right = m * two;
    let left = vec3(three[0], three[1], three[2]) * m;
    out[0] = right.x;
    out[1] = right.y;
    out[2] = right.z;
    out[3] = left.x;
    out[4] = left.y;
}
