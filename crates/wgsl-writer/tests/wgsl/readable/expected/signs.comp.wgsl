struct B {
    d: array<i32>,
}

@group(0) @binding(0) var<storage, read_write> b: B;

fn main_inner() {
    var i = b.d[0];
    var u = u32(b.d[1]);
    if i == b.d[2] {
        b.d[3] = 1;
    }
    if i != 7 {
        b.d[4] = 1;
    }
    if u == 7u {
        b.d[5] = 1;
    }
    b.d[6] = i32(u32(i) + u32(b.d[1]));
    b.d[7] = i32(u) << 2u;
}

@compute @workgroup_size(1)
fn main() {
    main_inner();
}
