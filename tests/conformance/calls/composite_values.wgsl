// Structs, arrays, matrices and truths go into functions and come back by value.
//: out 0:0 i32 5 0 0 15 30 1 4 7 2 -4 15 30 45 0 5 7 9 -2 30 45 60 1 6 7 6 -6 45 60 75 0 7 7 13 -4 60 75 90 1 8 7 10 -8 75 90 105 0 9 7 17 -6 90 105 120 1 10 7 14 -10 105 120 135 0 11 7 21 -8 120 135 150 1 12 7 18 -12 135 150 165 0 13 7 25 -10 150 165 180 1 14 7 22 -14 165 180 195 0 15 7 29 -12 180 195 210 1 16 7 26 -16 195 210 225 0 17 7 33 -14 210 225 240 1 18 7 30 -18 225 240 255 0 19 7 37 -16 240 255 270 1 20 7 34 -20 255 270 285 0 21 7
@group(0) @binding(0) var<storage, read_write> out: array<i32>;

struct Body {
    place: vec2<i32>,
    numbers: array<i32, 3>,
    flag: bool,
}

fn turned(body: Body, by: i32) -> Body {
    var result = body;
    if body.flag {
        result.place = vec2<i32>(body.place.y, -body.place.x);
    } else {
        result.place.x += by;
    }
    for (var i = 0; i < 3; i++) {
        result.numbers[i] *= by;
    }
    result.flag = !body.flag;
    return result;
}

fn applied(m: mat2x2<f32>, v: vec2<f32>) -> vec2<f32> {
    return m * v;
}

@compute @workgroup_size(18)
fn main(@builtin(local_invocation_index) at: u32) {
    let i = i32(at);
    var body = Body(vec2<i32>(i, 2 * i), array<i32, 3>(i, i + 1, i + 2), i % 2 == 0);
    body = turned(body, 3);
    body = turned(body, 5);
    let product = applied(mat2x2<f32>(f32(i), 1.0, 2.0, 3.0), vec2<f32>(1.0, 2.0));
    let first = 8 * i;
    out[first] = body.place.x;
    out[first + 1] = body.place.y;
    out[first + 2] = body.numbers[0];
    out[first + 3] = body.numbers[1];
    out[first + 4] = body.numbers[2];
    out[first + 5] = i32(body.flag);
    out[first + 6] = i32(product.x);
    out[first + 7] = i32(product.y);
}
