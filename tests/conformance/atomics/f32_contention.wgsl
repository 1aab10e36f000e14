// Many workgroups add to one f32; every sum is exact, so that none may be lost.
//: needs f32_atomics
//: workgroups 64
//: out 0:0 f32 -4096.0
@group(0) @binding(0) var<storage, read_write> total: atomic<f32>;

@compute @workgroup_size(64)
fn main() {
    atomicAdd(&total, 0.5f);
    atomicSub(&total, 1.5f);
}
