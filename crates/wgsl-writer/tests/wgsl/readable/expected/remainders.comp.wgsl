struct B {
    d: array<i32>,
}

@group(0) @binding(0) var<storage, read_write> b: B;

fn main_inner() {
    var n = b.d[0] & 7;
    for (var i = 0; i < n; i++) {
        if i % 3 == 1 {
            b.d[i] += i % 2;
        }
    }
    var u = u32(b.d[1]);
    b.d[2] = i32(u % 5u);
    b.d[3] = (b.d[4] & 255) % 10;
}

@compute @workgroup_size(1)
fn main() {
    main_inner();
}
