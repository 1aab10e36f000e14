// The local index runs through x first, then y, then z; the global id is group * size + local.
//: workgroups 2,1,2
//: out 0:0 u32 0 1 100 101 2 3 102 103 4 5 104 105 6 7 106 107 8 9 108 109 10 11 110 111 200 201
//:: 300 301 202 203 302 303 204 205 304 305 206 207 306 307 208 209 308 309 210 211 310 311
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(2, 3, 2)
fn main(
    @builtin(global_invocation_id) global: vec3u,
    @builtin(local_invocation_index) index: u32,
    @builtin(workgroup_id) group: vec3u,
) {
    out[global.x + 4u * (global.y + 3u * global.z)] = index + 100u * (group.x + 2u * group.z);
}
