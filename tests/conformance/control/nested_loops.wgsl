// break and continue of an inner loop leave the outer one alone.
//: in  0:0 u32 2 4 10
//: out 0:1 u32 2000 4054 4140
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) at: u32) {
    var seen = 0u;
    for (var i = 0u; i < a[at]; i++) {
        var j = 0u;
        loop {
            if j == i {
                break;
            }
            j++;
            if j % 2u == 1u {
                continue;
            }
            seen += 10u * i + j;
        }
        if i == 4u {
            break;
        }
        seen += 1000u;
    }
    out[at] = seen;
}
