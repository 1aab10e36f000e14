// any is true when one component is, all when every one is; a scalar bool is its own answer.
//: in  0:0 u32 0 0 0  0 1 0  1 1 1
//: out 0:1 u32 0 0 0 0  1 0 1 0  1 1 1 1
@group(0) @binding(0) var<storage, read> a: array<u32, 9>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<u32>, 3>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    let v = vec3(a[i * 3u], a[i * 3u + 1u], a[i * 3u + 2u]) == vec3(1u);
    out[i] = vec4(u32(any(v)), u32(all(v)), u32(any(v.xy)), u32(all(v.zx)));
}
