// What is the same for all invocations is so too where only some of them, or few, ask for a function with a rare way.
//: in  0:0 f32 0.0
//: out 0:1 u32 2 2 0 3 3
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 2u {
        if inverseSqrt(x[0]) < 1e30 {
            out[i] = 1u;
        } else {
            out[i] = 2u;
        }
    }
    if i > 2u {
        var turns = 0u;
        while u32(inverseSqrt(x[0])) > 1000u && turns < 3u {
            turns++;
        }
        out[i] = turns;
    }
}
