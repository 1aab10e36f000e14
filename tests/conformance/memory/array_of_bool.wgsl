// Arrays of truth values in function, private and workgroup memory, at indices that are not constant.
//: in  0:0 u32 0 3 69 42
//: out 0:1 u32 3*4
@group(0) @binding(0) var<storage, read> at: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

var<private> own: array<bool, 70>;
var<workgroup> all: array<bool, 70>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    var local: array<bool, 70>;
    local[at[i]] = true;
    own[at[i]] = true;
    all[at[i]] = true;
    out[i] = u32(local[at[i]]) + u32(own[at[i]]) + u32(all[at[i]]);
}
