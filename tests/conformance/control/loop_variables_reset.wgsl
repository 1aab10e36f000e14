// A variable declared in a loop body starts anew in each pass.
//: in  0:0 u32 4
//: out 0:1 u32 0 1 2 3   1
@group(0) @binding(0) var<storage, read> n: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 5>;

@compute @workgroup_size(1)
fn main() {
    var last = 0u;
    for (var i = 0u; i < n; i++) {
        var fresh: u32;
        var seeded = i;
        fresh += 1u;
        out[i] = seeded;
        seeded = 77u;
        last = fresh;
    }
    out[4] = last;
}
