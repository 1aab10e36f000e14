// An index out of range into a function variable reads zero, and a write through one vanishes.
//: in  0:0 i32 0 3 4 -1 MAX
//: out 0:1 i32 10 13 0 0 0
//: out 0:2 i32 100 11 12 101
//: deviates lavapipe "naga clamps the index into the array" 0:1 i32 =*2 13*3
//: deviates lavapipe "naga clamps the index into the array" 0:2 i32 =*3 104
@group(0) @binding(0) var<storage, read> at: array<i32, 5>;
@group(0) @binding(1) var<storage, read_write> reads: array<i32, 5>;
@group(0) @binding(2) var<storage, read_write> after: array<i32, 4>;

@compute @workgroup_size(1)
fn main() {
    var list = array(10, 11, 12, 13);
    for (var i = 0; i < 5; i++) {
        reads[i] = list[at[i]];
    }
    for (var i = 0; i < 5; i++) {
        list[at[i]] = 100 + i;
    }
    for (var i = 0; i < 4; i++) {
        after[i] = list[i];
    }
}
