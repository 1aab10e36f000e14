// A variable that is declared in a loop is set anew in each round, also where the rounds before have changed it.
//: in  0:0 u32 2 5 0 11
//: out 0:1 u32 6 15 0 33
@group(0) @binding(0) var<storage, read> at: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

const COUNT = array(0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u);

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    var sum = 0u;
    for (var round = 0u; round < 3u; round += 1u) {
        var list = COUNT;
        sum += list[at[i]];
        list[at[i]] = 1000u;
    }
    out[i] = sum;
}
