// An assignment at the head of a loop happens in every iteration, also of a value from before it.
//: in  0:0 u32 5
//: out 0:1 u32 6 18
@group(0) @binding(0) var<storage, read> a: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 2>;

@compute @workgroup_size(1)
fn main() {
    var i = 0u;
    var x = 0u;
    var sum = 0u;
    let start = a * 1u;
    loop {
        x = start;
        x++;
        sum += x;
        continuing {
            i++;
            break if i == 3u;
        }
    }
    out[0] = x;
    out[1] = sum;
}
