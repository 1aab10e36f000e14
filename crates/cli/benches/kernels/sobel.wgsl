// The strength of edges in a picture, by Sobel's operator.
@group(0) @binding(0) var<storage, read> image: array<f32>;
@group(0) @binding(1) var<storage, read_write> edges: array<f32>;

const W: i32 = 4096;
const H: i32 = 4096;

fn pixel(x: i32, y: i32) -> f32 {
    let cx = clamp(x, 0, W - 1);
    let cy = clamp(y, 0, H - 1);
    return image[cy * W + cx];
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = i32(id.x);
    let y = i32(id.y);
    if (x >= W || y >= H) {
        return;
    }
    let gx = pixel(x + 1, y - 1) + 2.0 * pixel(x + 1, y) + pixel(x + 1, y + 1)
        - pixel(x - 1, y - 1) - 2.0 * pixel(x - 1, y) - pixel(x - 1, y + 1);
    let gy = pixel(x - 1, y + 1) + 2.0 * pixel(x, y + 1) + pixel(x + 1, y + 1)
        - pixel(x - 1, y - 1) - 2.0 * pixel(x, y - 1) - pixel(x + 1, y - 1);
    edges[y * W + x] = sqrt(gx * gx + gy * gy);
}
