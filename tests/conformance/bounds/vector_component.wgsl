// A component index out of range reads zero, and a write through one vanishes.
//: in  0:0 f32 1 2 3 4
//: in  0:1 u32 0 3 4 MAX
//: out 0:2 f32 1 4 0 0   1 4 0 0
//: out 0:3 f32 50 2 3 51
//: deviates lavapipe "naga clamps the index into the array" 0:2 f32 =*2 4*2 =*2 4*2
//: deviates lavapipe "naga clamps the index into the array" 0:3 f32 =*3 53
@group(0) @binding(0) var<storage, read> v: vec4<f32>;
@group(0) @binding(1) var<storage, read> at: array<u32, 4>;
@group(0) @binding(2) var<storage, read_write> reads: array<f32, 8>;
@group(0) @binding(3) var<storage, read_write> after: vec4<f32>;

@compute @workgroup_size(1)
fn main() {
    let value = v;
    var variable = v;
    for (var i = 0u; i < 4u; i++) {
        reads[i] = value[at[i]];
        reads[4u + i] = variable[at[i]];
    }
    for (var i = 0u; i < 4u; i++) {
        variable[at[i]] = 50.0 + f32(i);
    }
    after = variable;
}
