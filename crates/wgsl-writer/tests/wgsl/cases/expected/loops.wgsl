@group(0) @binding(0) var<storage, read_write> out: array<i32>;

fn next(x: i32) -> i32 {
    return x + 1;
}

fn touch(x: ptr<function, i32>) {
    *x += 2;
}

@compute @workgroup_size(1)
fn main() {
    for (var i = 0; i < 4; i++) {
        out[i] = i;
    }
    for (var i = 9u; i > 4u; i--) {
        out[i] = i32(i);
    }
    var i = out[0];
    loop {
        let e1 = i;
        if e1 >= next(i) {
            break;
        }
        for (var j = i; j < 5; j += 2) {
            out[j] += i;
        }
        if out[i] == 3 {
            break;
        }
        continuing {
            i = next(i);
        }
    }
    var i_1 = 0;
    for (; i_1 < 3; touch(&i_1)) {
        out[i_1] += 1;
    }
    for (var x = 1.0; !(x > 8.0); x *= 2.0) {
        out[i32(x)] += 1;
    }
    var after = 0;
    for (; after < 5; after++) {
        if out[after] == 2 {
            continue;
        }
        out[after] = 1;
    }
    out[9] = after;
    after = 2;
    while out[after] > 0 && after < 9 {
        after += out[after];
    }
    var k = 0;
    loop {
        if k > 5 {
            break;
        }
        let now = out[k];
        continuing {
            k += now;
        }
    }
    var l = 0;
    loop {
        if l > 5 {
            break;
        }
        out[l] = 2;
        continuing {
            l += 1;
            out[l] = 3;
        }
    }
    loop {
        let seen = out[l];
        if seen > out[seen] {
            break;
        }
        l += seen;
    }
    loop {
        l += 1;
        continuing {
            break if l > 20;
        }
    }
    for (var m = 0; out[m] != 0; m++) {
    }
}
