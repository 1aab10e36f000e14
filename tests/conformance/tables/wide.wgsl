// Elements of 64 and of 16 bits lie in tables like any others.
//: needs f16 int64
//: in  0:0 u32 8 0 3
//: out 0:1 i64 -9000000000 1 -4000000000
//: out 0:2 f32 8.5 0.5 3.5
enable f16;

@group(0) @binding(0) var<storage, read> at: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<i64>;
@group(0) @binding(2) var<storage, read_write> halves: array<f32>;

const WIDE = array<i64, 9>(1li, -2000000000li, -3000000000li, -4000000000li, 5li, 6li, 7li, 8li, -9000000000li);
const SMALL = array<f16, 9>(0.5h, 1.5h, 2.5h, 3.5h, 4.5h, 5.5h, 6.5h, 7.5h, 8.5h);

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = WIDE[at[i]];
    halves[i] = f32(SMALL[at[i]]);
}
