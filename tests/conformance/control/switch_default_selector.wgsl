// default may share a clause with selectors, and selectors may be constant expressions and unsigned.
//: in  0:0 u32 0 4 5 6 MAX
//: out 0:1 u32 1 2 3 3 4
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

const FOUR = 4u;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    switch a[i] {
        case 0u: { out[i] = 1u; }
        case FOUR: { out[i] = 2u; }
        case FOUR + 1u, default: { out[i] = 3u; }
        case 0xffffffffu: { out[i] = 4u; }
    }
}
