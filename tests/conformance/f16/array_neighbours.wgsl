// Invocations that write the two halves of a word do not disturb each other.
//: needs f16
//: workgroups 4
//: out 0:0 f16 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30
//:: 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62
//:: 63
enable f16;

@group(0) @binding(0) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
    out[id.x] = f16(id.x);
}
