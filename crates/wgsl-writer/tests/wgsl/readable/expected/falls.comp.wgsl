struct B {
    d: array<i32>,
}

@group(0) @binding(0) var<storage, read_write> b: B;

fn many(x: i32) -> i32 {
    var r = x;
    var jump: u32;
    switch x & 3 {
        case 0: {
            jump = 0u;
        }
        case 1: {
            jump = 1u;
        }
        case 2: {
            jump = 2u;
        }
        default: {
            jump = 3u;
        }
    }
    if jump == 0u {
        for (var j = 0; j < 4; j++) {
            r += j * x;
            r ^= 3;
            if r == 9 {
                r += 2;
            }
            b.d[j] += r * 3 + j;
        }
        jump = 1u;
    }
    if jump == 1u {
        for (var j = 0; j < 8; j++) {
            r += j * x;
            r ^= 3;
            if r == 9 {
                r += 2;
            }
            b.d[j] += r * 3 + j;
            r ^= r * 7 - 4;
        }
        jump = 2u;
    }
    if jump == 2u {
        for (var j = 0; j < 8; j++) {
            r += j * x;
            r ^= 3;
            if r == 9 {
                r += 2;
            }
            b.d[j] += r * 3 + j;
            r ^= r * 7 - 4;
        }
        jump = 3u;
    }
    if jump == 3u {
        r += 100;
    }
    return r;
}

fn early(x: i32) -> i32 {
    var r = 0;
    switch x {
        case 0: {
            if b.d[3] == 4 {
                r = 3;
                break;
            }
            r = 7;
            r += 2;
        }
        case 1: {
            r += 2;
        }
        default: {
        }
    }
    return r;
}

fn few(x: i32) -> i32 {
    var r = 0;
    switch x {
        case 0: {
            r += 1;
            r += 10;
        }
        case 1: {
            r += 10;
        }
        case 2: {
            r = 5;
            let e1 = (x - 3) % 3;
            r += 100 + select(e1, e1 + 3, e1 != 0 && (e1 ^ 3) < 0);
        }
        default: {
            let e2 = (x - 3) % 3;
            r += 100 + select(e2, e2 + 3, e2 != 0 && (e2 ^ 3) < 0);
        }
    }
    return r;
}

fn main_inner() {
    for (var i = 0; i < 8; i++) {
        let e1 = i;
        let e2 = few(b.d[i] & 3);
        let e3 = early(i & 1);
        b.d[e1] = e2 + 1000 * e3 + 100000 * many(b.d[i]);
    }
}

@compute @workgroup_size(1)
fn main() {
    main_inner();
}
