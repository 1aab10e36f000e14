// atomicLoad and atomicStore of f32 keep the bits.
//: needs f32_atomics
//: in  0:0 f32 -0.0 1.0
//: out 0:0 f32 2.0 -0.0
@group(0) @binding(0) var<storage, read_write> a: array<atomic<f32>, 2>;

@compute @workgroup_size(1)
fn main() {
    atomicStore(&a[1], atomicLoad(&a[0]));
    atomicStore(&a[0], 2f);
}
