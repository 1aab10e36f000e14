// In a switch inside a loop, break leaves the switch, continue goes on with the loop.
//: in  0:0 u32 3 8
//: out 0:1 u32 2012 6224
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) at: u32) {
    var total = 0u;
    for (var i = 0u; i < a[at]; i++) {
        switch i % 4u {
            case 0u: {
                continue;
            }
            case 1u: {
                total += 1u;
            }
            case 2u: {
                if i > 0u {
                    total += 11u;
                    break;
                }
                total += 5000u;
            }
            default: {
                total += 100u;
            }
        }
        total += 1000u;
    }
    out[at] = total;
}
