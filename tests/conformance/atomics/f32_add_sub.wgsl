// atomicAdd and atomicSub on f32 give the old value.
//: needs f32_atomics
//: in  0:0 f32 1.5 1.0 4.0
//: out 0:0 f32 1.75 -1.5 -8.0
//: out 0:1 f32 1.5 1.0 4.0
@group(0) @binding(0) var<storage, read_write> a: array<atomic<f32>, 3>;
@group(0) @binding(1) var<storage, read_write> old: array<f32, 3>;

@compute @workgroup_size(1)
fn main() {
    old[0] = atomicAdd(&a[0], 0.25f);
    old[1] = atomicSub(&a[1], 2.5f);
    old[2] = atomicExchange(&a[2], -8f);
}
