// Lanes meet behind an inner loop in the same iteration of the outer.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 80 130 150 85 138 159 87 141
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    for (var a = 0u; a <= i % 3u; a++) {
        for (var b = 0u; b < i / 3u; b++) {
            out[i] += subgroupAdd(1u);
        }
        out[i] += subgroupAdd(10u);
    }
}
