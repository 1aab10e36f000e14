// A continue inside a switch runs the continuing block of the loop around it; a break does not end the loop.
//: out 0:0 u32 5 14 3
@group(0) @binding(0) var<storage, read_write> out: array<u32, 3>;

@compute @workgroup_size(1)
fn main() {
    var i = 0u;
    var total = 0u;
    var rest = 0u;
    loop {
        switch i {
            case 1u, 3u: {
                continue;
            }
            case 2u: {
                break;
            }
            default: {
                total += 1u;
            }
        }
        rest += 1u;
        continuing {
            total += i;
            i++;
            break if i == 5u;
        }
    }
    // Rounds 0 and 4 add one, and all add their number: 2 + 10; rounds 0, 2 and 4 come to the end.
    out = array(i, total + 2u, rest);
}
