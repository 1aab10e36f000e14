@group(0) @binding(0) var<storage, read_write> out: vec3<u32>;
@compute @workgroup_size(1) fn main() { out = sign(out) + vec3(sign(out.x)); }
