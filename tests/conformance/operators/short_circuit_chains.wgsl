// Chains of && and || over comparisons, in conditions and as values, with parts that differ between invocations and parts that do not.
//: in  0:0 u32 5
//: out 0:1 u32 30 286 542 542 542 526
//:: 26 285 537 541 538 520
//:: 18 281 541 541 538 520
//:: 18 281 537 797 794 776
//:: 18 282 538 794 1054 1034
//:: 18 264 520 776 1034 1292
//:: 18 264 520 776 1034 1288
@group(0) @binding(0) var<uniform> limit: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(6, 7)
fn main(@builtin(local_invocation_id) id: vec3<u32>) {
    let x = id.x;
    let y = id.y;
    var r = 0u;
    if x > 0u && x < limit - 1u && y > 0u && y < limit - 1u {
        r |= 1u;
    }
    if x == 0u || y == 0u || x == limit - 1u || y == limit - 1u {
        r |= 2u;
    }
    if x == y || (x > y && (y == 0u || x == 3u)) {
        r |= 4u;
    }
    if !(x < 2u && !(y < 2u || x == 1u)) {
        r |= 8u;
    }
    let inside = x < limit && (y < limit || x == 0u);
    var k = 0u;
    while k < x && (k < 2u || y > k) {
        k++;
    }
    r |= k << 8u;
    if inside {
        r |= 16u;
    }
    out[y * 6u + x] = r;
}
