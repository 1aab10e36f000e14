// A variable array that has the same elements for all invocations, read in a loop that they leave by one of them.
//: in  0:0 u32 10 20 30 40
//: out 0:1 u32 19 29 39 49
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    var digits = array<u32, 5>(3u, 1u, 4u, 1u, 5u);
    var sum = 0u;
    for (var place = 0u; place < 5u; place++) {
        if digits[place] == 5u {
            break;
        }
        sum += digits[place];
    }
    out[i] = sum + a[i];
}
