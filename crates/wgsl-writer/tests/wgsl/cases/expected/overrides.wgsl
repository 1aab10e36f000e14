override width: u32 = 8u;
@id(7) override scale: f32;
override flag: bool = true;
override area: u32 = width * width + 1u;

var<workgroup> tile: array<f32, width * 2u>;
@group(0) @binding(0) var<storage, read_write> out: array<f32, 4>;

@compute @workgroup_size(width, 4, width / 2u)
fn main(@builtin(local_invocation_id) id: vec3<u32>) {
    if flag {
        tile[id.x] = scale;
    }
    workgroupBarrier();
    out[id.y] = tile[width - 1u] + f32(area);
}
