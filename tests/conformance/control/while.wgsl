// while tests before each pass; break and continue work in it.
//: in  0:0 u32 27 1 6
//: out 0:1 u32 111 0 8
// The length of the Collatz sequence.
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    var x = a[i];
    var steps = 0u;
    while x != 1u {
        steps++;
        if x % 2u == 0u {
            x /= 2u;
            continue;
        }
        x = 3u * x + 1u;
    }
    out[i] = steps;
}
