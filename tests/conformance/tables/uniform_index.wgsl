// One index for a whole workgroup gives every invocation the same element, of numbers of any kind.
//: in  0:0 u32 9
//: out 0:1 f32 9.5 9.5 9.5 9.5
//: out 0:2 u32 1 1 1 1
@group(0) @binding(0) var<storage, read> at: u32;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<storage, read_write> kept: array<u32>;

const HALVES = array(0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5);
const IS_KEPT = array(false, false, false, false, false, false, false, false, false, true);

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = HALVES[at];
    kept[i] = select(0u, 1u, IS_KEPT[at]);
}
