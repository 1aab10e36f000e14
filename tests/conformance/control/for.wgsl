// for runs its update after each pass and after continue; every part may be left out.
//: in  0:0 u32 6
//: out 0:1 u32 9 6 15 7
@group(0) @binding(0) var<storage, read> n: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 4>;

@compute @workgroup_size(1)
fn main() {
    var odd = 0u;
    for (var i = 0u; i < n; i++) {
        if i % 2u == 0u {
            continue;
        }
        odd += i;
    }
    out[0] = odd;

    var bare = 0u;
    for (;;) {
        if bare == n {
            break;
        }
        bare++;
    }
    out[1] = bare;

    var sum = 0u;
    var j = 0u;
    for (; j < n; j += 1u) {
        sum += j;
    }
    out[2] = sum;

    // A condition that is false at once runs nothing.
    var kept = 7u;
    for (var k = n; k < n; k++) {
        kept = 0u;
    }
    out[3] = kept;
}
