// break leaves only the switch; return inside it leaves the function.
//: in  0:0 i32 0 1 2
//: out 0:1 i32 101 7 103
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

fn choose(x: i32) -> i32 {
    var r = 100;
    switch x {
        case 0 {
            r += 1;
            if r > 0 {
                break;
            }
            r = -1;
        }
        case 1 { return 7; }
        default { r += 3; }
    }
    return r;
}

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = choose(a[i]);
}
