// Buffers of an array are read and written by index.
//: needs buffer_arrays
//: array 0:0 3
//: in 0:0 u32 1 2 10 20 100 200
//: out 0:0 u32 1 3 10 30 100 300
enable wgpu_binding_array;
struct Pair { a: u32, b: u32 }
@group(0) @binding(0) var<storage, read_write> pairs: binding_array<Pair, 3>;
@compute @workgroup_size(1) fn main() {
    for (var i = 0u; i < 3u; i++) { pairs[i].b += pairs[i].a; }
}
