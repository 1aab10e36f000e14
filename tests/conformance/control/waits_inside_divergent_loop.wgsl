// A loop that waits for what invocations do in it ends too when all of them have left the loop around it.
//: in  0:0 u32 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
//: out 0:1 u32 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

var<workgroup> count: atomic<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    var turns = 0u;
    loop {
        if turns >= a[i] % 5u {
            break;
        }
        let start = atomicLoad(&count);
        while atomicLoad(&count) < start + 3u {
            atomicAdd(&count, 1u);
        }
        turns++;
    }
    out[i] = turns;
}
