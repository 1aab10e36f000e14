// Barriers in a loop with a uniform count: a game of passing values round and round.
//: in  0:0 u32 5
//: out 0:1 u32 3 4 5 0 1 2
@group(0) @binding(0) var<storage, read> rounds: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

var<workgroup> ring: array<u32, 6>;
var<workgroup> turns: u32;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    if i == 0u {
        turns = rounds - 2u;
    }
    let count = workgroupUniformLoad(&turns);
    var mine = i;
    for (var round = 0u; round < count; round++) {
        ring[i] = mine;
        workgroupBarrier();
        mine = ring[(i + 1u) % 6u];
        workgroupBarrier();
    }
    out[i] = mine;
}
