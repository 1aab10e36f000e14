// The old values of an atomic counter are all different: together they visit every slot once.
//: workgroups 4
//: out 0:0 u32 32
//: out 0:1 u32 1*32
@group(0) @binding(0) var<storage, read_write> counter: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> visits: array<u32>;

@compute @workgroup_size(8)
fn main() {
    let ticket = atomicAdd(&counter, 1u);
    visits[ticket] += 1u;
}
