// An alias is another name for a type, and struct members are assigned one by one or whole.
//: in  0:0 f32 3 4
//: out 0:1 f32 3 8 7 7
@group(0) @binding(0) var<storage, read> a: vec2<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 4>;

alias Number = f32;
alias Point = vec2<Number>;

struct Line {
    start: Point,
    end: Point,
}

@compute @workgroup_size(1)
fn main() {
    var line = Line(a, Point(7.0));
    line.start.y *= 2.0;
    let whole = line;
    line = Line();
    line.start = whole.start;
    line.end = whole.end;
    out[0] = line.start.x;
    out[1] = line.start.y;
    out[2] = line.end.x;
    out[3] = whole.end.y;
}
