// An inner declaration hides an outer one until its block ends.
//: in  0:0 u32 1
//: out 0:1 u32 3 2 1 7
@group(0) @binding(0) var<storage, read> a: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 4>;

const size = 7u;

@compute @workgroup_size(1)
fn main() {
    let x = a;
    {
        let x = x + 1u;
        {
            var x = x + 1u;
            out[0] = x;
        }
        out[1] = x;
    }
    out[2] = x;
    for (var size = 0u; size < 2u; size++) {
        let x = size;
        _ = x;
    }
    out[3] = size;
}
