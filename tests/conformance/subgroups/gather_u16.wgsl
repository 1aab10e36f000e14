// Shuffles, broadcasts and quads move u16 and its vectors.
//: needs subgroups int16
//: subgroup-size 8
//: in  0:0 u16 65535 2 3 4 5 6 7 40000
//: out 0:1 u16 40000 6 7 6 6 6 5 6 4 6 3 6 2 6 65535 6 2 65535 65535 2 4 3 3 4 6 5 5 6 40000 7 7 40000
//: out 0:2 u16 0 0 3 3 3 3 3 3
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read_write> pairs: array<vec2<u16>>;
@group(0) @binding(2) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    pairs[i] = vec2(subgroupShuffle(vec3(x, x, x), 7u - i).z, subgroupBroadcast(x, 5u));
    pairs[8u + i] = vec2(quadSwapX(x), quadSwapX(vec2(x, a[i ^ 1u])).y);
    if i >= 2u {
        out[i] = subgroupBroadcastFirst(x);
    }
}
