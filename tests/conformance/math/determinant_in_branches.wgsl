// Every invocation has the determinant of its own matrix, those outside the branch compute none.
//: out 0:0 f32 0.0 -1.0 2.0 0.0 14.0 23.0 0.0 47.0 62.0 0.0 98.0 119.0 0.0 167.0 194.0 0.0 254.0 287.0 0.0 359.0 398.0 0.0 482.0 527.0 0.0 623.0 674.0 0.0 782.0 839.0 0.0 959.0 1022.0 0.0 1154.0 1223.0 0.0 1367.0 1442.0 0.0
//: out 0:1 f32 0.0 12.0 0.0 40.0 0.0 84.0 0.0 144.0 0.0 220.0 0.0 312.0 0.0 420.0 0.0 544.0 0.0 684.0 0.0 840.0 0.0 1012.0 0.0 1200.0 0.0 1404.0 0.0 1624.0 0.0 1860.0 0.0 2112.0 0.0 2380.0 0.0 2664.0 0.0 2964.0 0.0 3280.0
@group(0) @binding(0) var<storage, read_write> two: array<f32, 40>;
@group(0) @binding(1) var<storage, read_write> three: array<f32, 40>;

@compute @workgroup_size(40)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = f32(i);
    if i % 3u != 0u {
        two[i] = determinant(mat2x2(x, 1, 2, x));
    }
    if i % 2u == 1u {
        three[i] = determinant(mat3x3(x + 1, 5, 6, 0, x + 2, 7, 0, 0, 2));
    }
}
