// A pointer made with an index out of range reads zero and writes nothing.
//: in  0:0 u32 1 4
//: out 0:1 u32 11 0
//: out 0:2 u32 10 60 12 13
//: deviates lavapipe "naga clamps the index into the array" 0:1 u32 = 13
//: deviates lavapipe "naga clamps the index into the array" 0:2 u32 =*3 61
@group(0) @binding(0) var<storage, read> at: array<u32, 2>;
@group(0) @binding(1) var<storage, read_write> reads: array<u32, 2>;
@group(0) @binding(2) var<storage, read_write> after: array<u32, 4>;

@compute @workgroup_size(1)
fn main() {
    var list = array(10u, 11u, 12u, 13u);
    for (var i = 0u; i < 2u; i++) {
        let p = &list[at[i]];
        reads[i] = *p;
        *p = 60u + i;
    }
    after = list;
}
