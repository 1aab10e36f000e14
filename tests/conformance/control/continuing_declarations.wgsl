// A continuing block may declare variables and hold statements of its own.
//: in  0:0 u32 4
//: out 0:1 u32 4 14
@group(0) @binding(0) var<storage, read> n: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 2>;

@compute @workgroup_size(1)
fn main() {
    var i = 0u;
    var squares = 0u;
    loop {
        if i == n {
            break;
        }
        continuing {
            let square = i * i;
            if square > 0u {
                squares += square;
            }
            var next = i;
            next++;
            i = next;
        }
    }
    out[0] = i;
    out[1] = squares;
}
