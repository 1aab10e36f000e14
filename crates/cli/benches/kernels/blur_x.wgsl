// The horizontal pass of a binomial blur; the picture continues with the pixels of its edges.
@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> blurred: array<f32>;

const W: i32 = 2048;
const H: i32 = 2048;
const RADIUS: i32 = 4;
const WEIGHTS = array<f32, 5>(70.0 / 256.0, 56.0 / 256.0, 28.0 / 256.0, 8.0 / 256.0, 1.0 / 256.0);

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = i32(id.x);
    let y = i32(id.y);
    if (x >= W || y >= H) {
        return;
    }
    var sum = 0.0;
    for (var k = -RADIUS; k <= RADIUS; k++) {
        let sx = clamp(x + k, 0, W - 1);
        sum += WEIGHTS[abs(k)] * source[y * W + sx];
    }
    blurred[y * W + x] = sum;
}
