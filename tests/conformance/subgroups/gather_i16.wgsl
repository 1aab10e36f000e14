// Shuffles, broadcasts and quads move i16 and its vectors.
//: needs subgroups int16
//: subgroup-size 8
//: in  0:0 i16 32767 2 -3 4 -5 6 7 -32768
//: out 0:1 i16 -32768 6 7 6 6 6 -5 6 4 6 -3 6 2 6 32767 6 2 32767 32767 2 4 -3 -3 4 6 -5 -5 6 -32768 7 7
//::     -32768
//: out 0:2 i16 0 0 -3 -3 -3 -3 -3 -3
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read_write> pairs: array<vec2<i16>>;
@group(0) @binding(2) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    pairs[i] = vec2(subgroupShuffle(vec3(x, x, x), 7u - i).z, subgroupBroadcast(x, 5u));
    pairs[8u + i] = vec2(quadSwapX(x), quadSwapX(vec2(x, a[i ^ 1u])).y);
    if i >= 2u {
        out[i] = subgroupBroadcastFirst(x);
    }
}
