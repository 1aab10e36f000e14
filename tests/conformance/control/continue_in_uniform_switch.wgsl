// A turn of a loop that ends early in a switch does what follows for the invocations that have not returned before.
//: in  0:0 u32 0 1 2 3 7 5 9 4
//: out 0:1 u32 40 1004101 2400202 43000303 1 5004505 1 4000444
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

fn digits(n: u32) -> u32 {
    if n > 5u {
        return 1u;
    }
    var counts: array<u32, 4>;
    var i = 0u;
    loop {
        switch i {
            case 2u: {
                continue;
            }
            default: {}
        }
        counts[i] += n;
        continuing {
            counts[n & 3u] += 10u;
            i++;
            break if i >= 4u;
        }
    }
    return counts[0] + counts[1] * 100u + counts[2] * 10000u + counts[3] * 1000000u;
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = digits(a[i]);
}
