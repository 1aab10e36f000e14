// An i64 variable that is computed from itself reads its old value first, in vectors too.
//: needs int64
//: out 0:0 i64 -4294967297 8589934591 -8589934591 0 8589934591 1
@group(0) @binding(0) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(1)
fn main() {
    var x = 0x100000001li;
    x = x - (x << 1u);
    out[0] = x;
    var v = vec2<i64>(1li, 0x200000000li);
    v = v.yx - v;
    out[1] = v.x;
    out[2] = v.y;
    v.x = v.y + v.x;
    v = select(v, -v, v < vec2(0li));
    out[3] = v.x;
    out[4] = v.y;
    x = i64(x < 0li);
    out[5] = x;
}
