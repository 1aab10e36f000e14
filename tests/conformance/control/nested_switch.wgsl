// A switch inside a switch inside a loop: each break leaves one of them.
//: in  0:0 u32 0 1 2 3 4 5
//: out 0:1 u32 11 12 19 21 21 90
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    var r = 0u;
    loop {
        switch a[i] {
            case 0u, 1u, 2u: {
                r += 10u;
                switch a[i] {
                    case 0u: {
                        r += 1u;
                        break;
                    }
                    case 1u: {
                        r += 2u;
                    }
                    default: {
                        r += 9u;
                    }
                }
            }
            case 3u, 4u: {
                r += 20u;
                if a[i] == 3u {
                    r += 1u;
                    break;
                }
                r += 1u;
            }
            default: {
                r = 90u;
            }
        }
        break;
    }
    out[i] = r;
}
