// A switch runs one clause: several selectors share it, and default may stand in the middle.
//: in  0:0 i32 0 1 2 3 -7 9 MIN
//: out 0:1 i32 10 20 20 99 30 99 40
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    switch a[i] {
        case 0 { out[i] = 10; }
        case 1, 2 { out[i] = 20; }
        default { out[i] = 99; }
        case -7 { out[i] = 30; }
        case -2147483648 { out[i] = 40; }
    }
}
