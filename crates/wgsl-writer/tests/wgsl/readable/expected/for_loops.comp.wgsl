struct B {
    d: array<i32>,
}

@group(0) @binding(0) var<storage, read_write> b: B;

fn main_inner() {
    var n = b.d[0] & 15;
    var sum = 0;
    for (var i = 0; i < n; i++) {
        if (i & 3) == 1 {
            continue;
        }
        sum += i;
        if sum == 21 {
            break;
        }
    }
    for (var i = n; i > 0; i -= 2) {
        for (var k = 0; k < i; k++) {
            sum += b.d[k & 7];
        }
    }
    var steps = 0;
    while sum > 1 && steps < 40 {
        sum /= 2;
        steps += 1;
    }
    loop {
        steps -= 1;
        continuing {
            break if steps <= 3;
        }
    }
    var last = 2;
    for (; last < n; last++) {
        sum ^= last;
    }
    b.d[1] = sum;
    b.d[2] = steps;
    b.d[3] = last;
}

@compute @workgroup_size(1)
fn main() {
    main_inner();
}
