// && and || evaluate their right side only where the left one does not decide.
//: in  0:0 u32 0 1
//: out 0:1 u32 0 1   1 1   1 2   0 0
@group(0) @binding(0) var<storage, read> a: array<u32, 2>;
@group(0) @binding(1) var<storage, read_write> out: array<vec2<u32>, 4>;

var<private> calls: u32;

fn touch(result: bool) -> bool {
    calls++;
    return result;
}

@compute @workgroup_size(1)
fn main() {
    let no = a[0] == 1u;
    let yes = a[1] == 1u;
    calls = 0u;
    let p = yes && touch(no);
    out[0] = vec2(u32(p), calls);
    calls = 0u;
    let q = no || touch(yes);
    out[1] = vec2(u32(q), calls);
    calls = 0u;
    let r = (no || touch(yes)) && touch(yes);
    out[2] = vec2(u32(r), calls);
    calls = 0u;
    let s = (no && touch(yes)) || (!yes && touch(yes));
    out[3] = vec2(u32(s), calls);
}
