// Shuffles, broadcasts and quads move f16 and its vectors.
//: needs subgroups f16
//: subgroup-size 8
//: in  0:0 f16 0.5 1.0 2.0 -4.0 8.0 0.25 3.0 -1.5
//: out 0:1 f16 -1.5 0.25 3.0 0.25 0.25 0.25 8.0 0.25 -4.0 0.25 2.0 0.25 1.0 0.25 0.5 0.25 1.0 0.5 0.5 1.0
//::     -4.0 2.0 2.0 -4.0 0.25 8.0 8.0 0.25 -1.5 3.0 3.0 -1.5
//: out 0:2 f16 0.0 0.0 2.0 2.0 2.0 2.0 2.0 2.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> pairs: array<vec2<f16>>;
@group(0) @binding(2) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    pairs[i] = vec2(subgroupShuffle(vec3(x, x, x), 7u - i).z, subgroupBroadcast(x, 5u));
    pairs[8u + i] = vec2(quadSwapX(x), quadSwapX(vec2(x, a[i ^ 1u])).y);
    if i >= 2u {
        out[i] = subgroupBroadcastFirst(x);
    }
}
