// arrayLength of array<f16> counts elements of 2 bytes.
//: needs f16
//: in  0:0 f16 0*6
//: in  0:1 u32 9 f16 1 2 3 4 5 6
//: out 0:2 u32 6 6 6
enable f16;

struct Tail {
    head: u32,
    body: array<f16>,
}

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> t: Tail;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
    out[0] = arrayLength(&a);
    out[1] = arrayLength(&t.body);
    out[2] = u32(t.body[5]);
}
