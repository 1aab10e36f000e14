// Indexing an array value, not a variable, out of range gives zero.
//: in  0:0 i32 0 2 3 -1
//: out 0:1 i32 5 7 0 0
//: deviates lavapipe "naga clamps the index into the array" 0:1 i32 =*2 7*2
@group(0) @binding(0) var<storage, read> at: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

fn values() -> array<i32, 3> {
    return array(5, 6, 7);
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    let list = values();
    out[i] = list[at[i]];
}
