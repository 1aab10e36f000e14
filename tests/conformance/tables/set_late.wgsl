// A variable is zeros until a constant is stored there, and the constant only on the ways that stored it.
//: in  0:0 u32 1 2 3 4
//: out 0:1 u32 0 11  22 22  0 13  24 24
@group(0) @binding(0) var<storage, read> at: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec2<u32>>;

const TENS = array(10u, 11u, 12u, 13u, 14u, 15u, 16u, 17u, 18u, 19u);
const TWENTIES = array(20u, 21u, 22u, 23u, 24u, 25u, 26u, 27u, 28u, 29u);

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    var early: array<u32, 10>;
    var either: array<u32, 10>;
    var before = 0u;
    for (var round = 0u; round < 2u; round += 1u) {
        if round == i % 2u {
            before = early[at[i]];
        }
        early = TENS;
    }
    either = TENS;
    if i % 2u == 1u {
        either = TWENTIES;
        before += 10u;
    }
    out[i] = vec2(before, either[at[i]]);
}
