// Many workgroups add to one 64-bit value; no carry into its high word is lost.
//: needs int64_atomics int64
//: workgroups 64
//: in  0:1 i64 MIN
//: out 0:0 u64 1125899906826240
//: out 0:1 i64 0
@group(0) @binding(0) var<storage, read_write> total: atomic<u64>;
@group(0) @binding(1) var<storage, read_write> highest: atomic<i64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    for (var i = 0u; i < 4u; i++) {
        atomicAdd(&total, 0xffffffffflu);
        atomicMax(&highest, i64(id.x) * -0x100000000li);
    }
}
