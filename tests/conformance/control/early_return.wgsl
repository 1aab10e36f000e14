// return inside nested loops leaves the function at once.
//: in  0:0 u32 12 35 97
//: out 0:1 u32 2 5 97
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

fn smallest_divisor(n: u32) -> u32 {
    for (var p = 2u; p < n; p++) {
        var multiple = p;
        loop {
            if multiple == n {
                return p;
            }
            if multiple > n {
                break;
            }
            multiple += p;
        }
    }
    return n;
}

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = smallest_divisor(a[i]);
}
