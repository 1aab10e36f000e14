// A shape made of discs that are added or cut out one after the other. All numbers are integers, so
// that every device draws the same picture.
@group(0) @binding(1) var<storage, read> discs: array<vec4<i32>>;

// The least and the most of a function over a cell.
struct Interval { low: i32, high: i32 }

fn least(a: i32, low: i32, high: i32) -> i32 {
    return select(min(abs(low - a), abs(high - a)), 0, low <= a && a <= high);
}

fn most(a: i32, low: i32, high: i32) -> i32 {
    return max(abs(low - a), abs(high - a));
}

// Negative inside the shape, positive outside. Zero is in it where the outline may cross the cell.
fn shape(corner: vec2<i32>, size: i32) -> Interval {
    let end = corner + size;
    var shape = Interval(1 << 20u, 1 << 20u);
    for (var i = 0u; i < arrayLength(&discs); i++) {
        let disc = discs[i];
        let near = vec2<i32>(least(disc.x, corner.x, end.x), least(disc.y, corner.y, end.y));
        let far = vec2<i32>(most(disc.x, corner.x, end.x), most(disc.y, corner.y, end.y));
        let low = near.x * near.x + near.y * near.y - disc.z * disc.z;
        let high = far.x * far.x + far.y * far.y - disc.z * disc.z;
        if disc.w == 1 {
            shape = Interval(min(shape.low, low), min(shape.high, high));
        } else {
            shape = Interval(max(shape.low, -high), max(shape.high, -low));
        }
    }
    return shape;
}

// -1 inside, 1 outside, 0 where both may be.
fn side_of(corner: vec2<u32>, size: u32) -> i32 {
    let found = shape(vec2<i32>(corner), i32(size));
    if found.high < 0 { return -1; }
    return select(0, 1, found.low > 0);
}
