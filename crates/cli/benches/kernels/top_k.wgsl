// The eight largest scores of each row, in descending order. A workgroup takes a row: each invocation keeps the eight
// largest of every 64th score, and then all of them agree on the largest that is left, eight times.
@group(0) @binding(0) var<storage, read> scores: array<f32>;
@group(0) @binding(1) var<storage, read_write> top: array<f32>;

const COLUMNS: u32 = 4096u;
const K: u32 = 8u;

var<workgroup> values: array<f32, 64>;
var<workgroup> owners: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.x;
    var best: array<f32, 8>;
    for (var k = 0u; k < K; k++) {
        best[k] = -1.0;
    }
    for (var column = lane; column < COLUMNS; column += 64u) {
        let score = scores[row * COLUMNS + column];
        if (score <= best[K - 1u]) {
            continue;
        }
        var place = K - 1u;
        while (place > 0u && best[place - 1u] < score) {
            best[place] = best[place - 1u];
            place--;
        }
        best[place] = score;
    }
    var head = 0u;
    for (var k = 0u; k < K; k++) {
        values[lane] = best[head];
        owners[lane] = lane;
        workgroupBarrier();
        for (var width = 32u; width > 0u; width /= 2u) {
            if (lane < width && values[lane + width] > values[lane]) {
                values[lane] = values[lane + width];
                owners[lane] = owners[lane + width];
            }
            workgroupBarrier();
        }
        if (owners[0] == lane) {
            head++;
        }
        if (lane == 0u) {
            top[row * K + k] = values[0];
        }
        workgroupBarrier();
    }
}
