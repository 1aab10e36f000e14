// Pseudo-random keys.
@group(0) @binding(0) var<storage, read_write> keys: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var key = id.x * 747796405u + 2891336453u;
    key = ((key >> ((key >> 28u) + 4u)) ^ key) * 277803737u;
    keys[id.x] = (key >> 22u) ^ key;
}
