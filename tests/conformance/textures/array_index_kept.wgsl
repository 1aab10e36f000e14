// The index into an array of bindings is that of the moment, whatever happens to the variable later.
//: needs buffer_arrays
//: array 0:0 2
//: in 0:0 u32 5 6
//: out 0:1 u32 5 6
enable wgpu_binding_array;
struct One { value: u32 }
@group(0) @binding(0) var<storage, read> ones: binding_array<One, 2>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 2>;
@compute @workgroup_size(1) fn main() {
    var i = 0u;
    let first = &ones[i];
    i = 1u;
    out[0] = (*first).value;
    out[1] = ones[i].value;
}
