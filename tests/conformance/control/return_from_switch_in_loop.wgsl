// A return inside a switch inside a loop leaves the function at once, without its continuing block.
//: in  0:0 u32 0 2 9
//: out 0:1 u32 100 102 3
//: out 0:2 u32 5
@group(0) @binding(0) var<storage, read> a: array<u32, 3>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 3>;
@group(0) @binding(2) var<storage, read_write> rounds: u32;

fn find(x: u32) -> u32 {
    var i = 0u;
    loop {
        switch i ^ x {
            case 0u: {
                return 100u + i;
            }
            default: {}
        }
        continuing {
            rounds += 1u;
            i++;
            break if i == 3u;
        }
    }
    return i;
}

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 3u; i++) {
        out[i] = find(a[i]);
    }
}
