// Values of private variables survive a barrier.
//: out 0:0 u32 3 4 7 12
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

var<private> own: u32;
var<workgroup> total: atomic<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    own = i * i;
    atomicAdd(&total, 1u);
    workgroupBarrier();
    out[i] = own + atomicLoad(&total) - 1u;
}
