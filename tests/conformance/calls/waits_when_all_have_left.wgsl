// A function that waits for what its callers do ends too when all of them have left the loop that calls it.
//: in  0:0 u32 0 1 2 3 4 0 1 2
//: out 0:1 u32 0 1 2 3 4 0 1 2
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

var<workgroup> count: atomic<u32>;

fn add_three() {
    let start = atomicLoad(&count);
    while atomicLoad(&count) < start + 3u {
        atomicAdd(&count, 1u);
    }
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var turns = 0u;
    loop {
        if turns >= a[i] {
            break;
        }
        add_three();
        turns++;
    }
    out[i] = turns;
}
