// A pointer argument changes the caller's variable.
//: in  0:0 i32 5
//: out 0:1 i32 6 12
@group(0) @binding(0) var<storage, read> a: i32;
@group(0) @binding(1) var<storage, read_write> out: array<i32, 2>;

fn bump(p: ptr<function, i32>) {
    *p += 1;
}

fn twice(p: ptr<function, i32>) {
    *p = *p * 2;
}

fn bump_then_twice(p: ptr<function, i32>) {
    bump(p);
    twice(p);
}

@compute @workgroup_size(1)
fn main() {
    var x = a;
    var y = a;
    bump(&x);
    bump_then_twice(&y);
    out[0] = x;
    out[1] = y;
}
