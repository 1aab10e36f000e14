// min and max without a result need less than all operations.
//: needs int64_min_max int64
//: in  0:0 u64 MAX
//: out 0:0 u64 5
//: out 0:1 u64 67645734917
@group(0) @binding(0) var<storage, read_write> least: atomic<u64>;
@group(0) @binding(1) var<storage, read_write> most: atomic<u64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    let value = (u64(i) ^ 0x2alu) << 30u;
    atomicMin(&least, value + 5lu);
    atomicMax(&most, value + 5lu);
}
