// A pointer to a private variable changes it for every later reader.
//: in  0:0 u32 4
//: out 0:1 u32 7 7
@group(0) @binding(0) var<storage, read> a: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 2>;

var<private> state: u32 = 3u;

fn add(p: ptr<private, u32>, amount: u32) -> u32 {
    *p += amount;
    return *p;
}

fn current() -> u32 {
    return state;
}

@compute @workgroup_size(1)
fn main() {
    out[0] = add(&state, a);
    out[1] = current();
}
