// Loops that are tested at the end, with `!=`, `<=` and by a `break`, with limits in a buffer and in the text.
//: in 0:0 i32 0 1 7 16
//: out 0:1 i32 5*16 10*16 94 115 136 157 178 199 220 241 262 283 304 325 346 367 388 409 401 521
//::     641 761 881 1001 1121 1241 1361 1481 1601 1721 1841 1961 2081 2201
//: out 0:2 i32 6942 6105 5268 4431 3594 2757 1920 1083 246 9416 8579 7742 6905 6068 5231 4394
@group(0) @binding(0) var<storage, read> limits: array<i32>;
@group(0) @binding(1) var<storage, read_write> sums: array<i32>;
@group(0) @binding(2) var<storage, read_write> constant: array<i32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) index: u32) {
    let lane = i32(index);
    for (var s = 0; s != 4; s++) {
        let n = limits[s];
        var t = 0;
        var i = 0;
        loop {
            t += i * lane + 1;
            continuing {
                i++;
                break if i >= n;
            }
        }
        i = 0;
        loop {
            t += i;
            i += 3;
            if (n <= i) { break; }
        }
        for (i = 0; i != n; i++) { t += 2 * i; }
        for (i = -3; i <= n; i += 2) { t += i + 4; }
        sums[s * 16 + lane] = t;
    }
    var t = 0;
    var i = 0;
    loop {
        t = (t * 3 + i + lane) % 10007;
        continuing {
            i++;
            break if i >= 16;
        }
    }
    for (i = 4; i != 16; i += 4) { t = (t * 5 + i) % 10007; }
    i = 2;
    loop {
        t = (t * 7 + i) % 10007;
        i += 2;
        if (i == 12) { break; }
    }
    i = 0;
    loop {
        if (i >= 9) { break; }
        t = (t * 11 + i) % 10007;
        i += 2;
    }
    constant[lane] = t;
}
