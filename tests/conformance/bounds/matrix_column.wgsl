// A column index out of range reads zeros, and a write through one vanishes.
//: in  0:0 f32 1 2  3 4
//: in  0:1 u32 1 2 MAX
//: out 0:2 f32 3 4  0 0  0 0   3 4  0 0  0 0
//: out 0:3 f32 1 2  50 50
//: deviates lavapipe "naga clamps the index into the array" 0:2 f32 =*2 3 4 3 4 =*6
//: deviates lavapipe "naga clamps the index into the array" 0:3 f32 =*2 52*2
@group(0) @binding(0) var<storage, read> m: mat2x2<f32>;
@group(0) @binding(1) var<storage, read> at: array<u32, 3>;
@group(0) @binding(2) var<storage, read_write> reads: array<vec2<f32>, 6>;
@group(0) @binding(3) var<storage, read_write> after: mat2x2<f32>;

@compute @workgroup_size(1)
fn main() {
    var variable = m;
    for (var i = 0u; i < 3u; i++) {
        reads[i] = variable[at[i]];
        reads[3u + i] = m[at[i]];
    }
    for (var i = 0u; i < 3u; i++) {
        variable[at[i]] = vec2(50.0 + f32(i));
    }
    after = variable;
}
