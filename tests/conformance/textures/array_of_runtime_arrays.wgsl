// The buffers of an array may end in arrays of run-time size, each with its own length.
//: needs buffer_arrays
//: array 0:0 2
//: in 0:0 u32 1 2 3 4  10 20 30 40
//: out 0:1 u32 3 3 4 40 3 20
enable wgpu_binding_array;
struct List { first: u32, rest: array<u32> }
@group(0) @binding(0) var<storage, read> lists: binding_array<List, 2>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 6>;
@compute @workgroup_size(1) fn main() {
    out[0] = arrayLength(&lists[0].rest);
    out[1] = arrayLength(&lists[1].rest);
    out[2] = lists[0].rest[2];
    out[3] = lists[1].rest[2];
    out[4] = lists[0].rest[1];
    out[5] = lists[1].rest[0];
}
