// A variable that both sides of a branch assign keeps its value in the invocations that do not take the branch.
//: in  0:0 u32 0 1 2 3 4 5 6 7 8 9 10 11
//:: 12 13 14 15 16
//: out 0:1 u32 0 0 0 0 10 10 138 10 168 252 188 252
//:: 175 255 191 255 170
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(17)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    var seen = false;
    var flag = x > 4u;
    var r = 0u;
    for (var k = 0u; k < 4u; k++) {
        if ((x >> k) & 1u) == 1u {
            if x > 6u {
                seen = x > k + 8u;
            } else {
                seen = false;
            }
            if seen {
                flag = true;
            } else {
                flag = k == 2u;
            }
        } else {
            if x < 3u {
                flag = false;
            }
        }
        r = r * 4u + select(0u, 1u, seen) + select(0u, 2u, flag);
    }
    out[i] = r;
}
