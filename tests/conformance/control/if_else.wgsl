// if, else if and else take the first true branch.
//: in  0:0 i32 -5 0 5 50
//: out 0:1 i32 1 2 3 4
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    if x < 0 {
        out[i] = 1;
    } else if x == 0 {
        out[i] = 2;
    } else if x < 10 {
        out[i] = 3;
    } else {
        out[i] = 4;
    }
}
