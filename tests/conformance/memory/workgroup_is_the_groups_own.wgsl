// Each workgroup has its own workgroup memory: none sees what another wrote.
//: workgroups 4
//: out 0:0 u32 1 1 2 2 3 3 4 4
@group(0) @binding(0) var<storage, read_write> out: array<u32, 8>;

var<workgroup> word: u32;
var<workgroup> counter: atomic<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u) {
    if i == 1u {
        word = group.x;
    }
    for (var round = 0u; round < 50u; round++) {
        atomicAdd(&counter, 1u);
        workgroupBarrier();
    }
    out[group.x * 2u + i] = word + atomicLoad(&counter) / 100u;
}
