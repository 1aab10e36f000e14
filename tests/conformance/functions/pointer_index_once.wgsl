// The index of a let pointer is evaluated where the pointer is made.
//: in  0:0 u32 1
//: out 0:1 u32 0 5 0
@group(0) @binding(0) var<storage, read> start: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 3>;

@compute @workgroup_size(1)
fn main() {
    var values: array<u32, 3>;
    var at = start;
    let element = &values[at];
    at = 2u;
    *element = 5u;
    for (var i = 0u; i < 3u; i++) {
        out[i] = values[i];
    }
}
