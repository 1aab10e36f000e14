override width: u32 = 8u;
@id(7) override scale: f32;
override flag = true;
override area = width * width + 1u;
const SIDE = 4;
var<workgroup> tile: array<f32, width * 2>;
@group(0) @binding(0) var<storage, read_write> out: array<f32, SIDE>;
@compute @workgroup_size(width, SIDE, width / 2u) fn main(@builtin(local_invocation_id) id: vec3<u32>) {
    if flag { tile[id.x] = scale; }
    workgroupBarrier();
    out[id.y] = tile[width - 1u] + f32(area);
}
