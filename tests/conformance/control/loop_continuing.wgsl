// continuing runs after every pass, after continue too, and break if ends the loop from it.
//: in  0:0 u32 5
//: out 0:1 u32 5 9 3
@group(0) @binding(0) var<storage, read> n: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 3>;

@compute @workgroup_size(1)
fn main() {
    var i = 0u;
    var odd_sum = 0u;
    var evens = 0u;
    loop {
        if i % 2u == 0u {
            evens += 1u;
            continue;
        }
        odd_sum += i;
        continuing {
            i++;
            break if i >= n;
        }
    }
    out[0] = i;
    out[1] = odd_sum + n;
    out[2] = evens;
}
