// Private variables that functions change are those of the invocation, and of it alone.
//: out 0:0 u32 0 1 5 0 1 12 7 10 2 4 7 1 3 37 9 1 4 5 5 4 5 56 7 50 6 8 7 1 7 81 9 1 8 9 5 8 9 100 7 90 10 12 7 1 11 125 9 1 12 13 5 12 13 144 7 130 14 16 7 1 15 169 9 1 16 17 5 16 17 188 7 170 18 20 7 1 19 213 9 1
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

var<private> count = 3u;
var<private> total: u32;
var<private> last: array<u32, 4>;

fn bump(by: u32) -> u32 {
    count++;
    last[count % 4u] = by;
    total += by;
    return total;
}

fn twice(by: u32) {
    _ = bump(by);
}

@compute @workgroup_size(20)
fn main(@builtin(local_invocation_index) i: u32) {
    let first = bump(i);
    if i % 2u == 1u {
        twice(10u * i);
    }
    for (var k = 0u; k < i % 4u; k++) {
        twice(k);
    }
    let end = bump(1u);
    out[4u * i] = first;
    out[4u * i + 1u] = end;
    out[4u * i + 2u] = count;
    out[4u * i + 3u] = last[i % 4u];
}
