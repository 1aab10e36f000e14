// Lanes return from a function at different times, each with its own value, also where only some have called it.
//: out 0:0 u32 1000 0 0 7 1 7 7 1 2 7 5 7 8 2 16 7 3 7 19 5 6 7 14 7 9 16 9 7 17 7 17 3 4 7 12 7 20 6 20 7 7 7 7 14 15 7 15 7 10 9 25 7 10 7 158 17 18 7 18 7 18 4 176 7 5 7 26 12 13 7 13 7 22 20 22 7 22 7 55 7
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn steps(x: u32) -> u32 {
    if x == 0u {
        return 1000u;
    }
    var n = 0u;
    var v = x;
    while v != 1u {
        v = select(3u * v + 1u, v / 2u, v % 2u == 0u);
        n++;
        if n > 20u {
            return n + v;
        }
    }
    return n;
}

@compute @workgroup_size(40)
fn main(@builtin(local_invocation_index) i: u32) {
    out[2u * i] = steps(i);
    var second = 7u;
    if i % 3u == 0u {
        second = steps(i / 2u + 1u);
    }
    out[2u * i + 1u] = second;
}
