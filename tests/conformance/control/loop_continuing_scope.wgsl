// The continuing block sees variables of the loop body, and a body that breaks skips it.
//: in  0:0 u32 10
//: out 0:1 u32 4 16
@group(0) @binding(0) var<storage, read> n: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 2>;

@compute @workgroup_size(1)
fn main() {
    var count = 0u;
    var total = 1u;
    loop {
        let doubled = total * 2u;
        if doubled > n * 2u {
            break;
        }
        continuing {
            total = doubled;
            count++;
        }
    }
    out[0] = count;
    out[1] = total;
}
