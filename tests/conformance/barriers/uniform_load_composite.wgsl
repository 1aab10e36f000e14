// workgroupUniformLoad loads arrays and structs whole.
//: in  0:0 u32 3 4
//: out 0:1 u32 7 8 9 10
@group(0) @binding(0) var<storage, read> a: vec2<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

struct Shared {
    pair: vec2<u32>,
    list: array<u32, 2>,
}

var<workgroup> state: Shared;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    if i == 0u {
        state.pair = a;
        state.list[1] = i;
    }
    let seen = workgroupUniformLoad(&state);
    out[i] = seen.pair.x + seen.pair.y + seen.list[1] + i;
}
