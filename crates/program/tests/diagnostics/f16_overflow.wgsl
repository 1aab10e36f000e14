enable f16;
@group(0) @binding(0) var<storage, read_write> o: array<vec3h>;
@compute @workgroup_size(1) fn main() { o[0] = vec3h(1,2,77216); o[1].x = f16(70000); }
