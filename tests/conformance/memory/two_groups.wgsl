// Bindings of several groups, with numbers that are not consecutive.
//: in  0:3 u32 1 2
//: in  1:0 u32 10 20
//: in  2:7 u32 100 200 0 0
//: out 1:5 u32 111 222
@group(0) @binding(3) var<storage, read> a: array<u32>;
@group(1) @binding(0) var<storage, read> b: array<u32>;
@group(2) @binding(7) var<uniform> c: vec4<u32>;
@group(1) @binding(5) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] + b[i] + c[i];
}
