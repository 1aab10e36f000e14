// Reads of f64 outside an array give zero, writes vanish.
//: needs f64
//: in  0:0 u32 1 2 3 0xffffffff
//: in  0:1 f64 1 2
//: out 0:1 f64 1 10
//: out 0:2 f64 8 0 0 0
//: deviates lavapipe "clamps the index of a variable" 0:2 f64 8 6 6 6
@group(0) @binding(0) var<storage, read> at: array<u32>;
@group(0) @binding(1) var<storage, read_write> a: array<f64>;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(1)
fn main() {
    var local = array(5lf, 6lf);
    for (var i = 0u; i < 4u; i++) {
        out[i] = a[at[i]] + local[at[i]];
        a[at[i]] = f64(i) + 10lf;
    }
}
