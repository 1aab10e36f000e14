// u64 becomes the nearest f32, rounded once.
//: needs int64
//: in  0:0 u64 0 1 MAX MAX 0 16777217 16777219 1099511693313 4611686293305294849 9007199254740993
//: out 0:1 f32 0.0 1.0 1.8446744073709552e+19 1.8446744073709552e+19 0.0 16777216.0 16777220.0
//:: 1099511758848.0 4.611686568183202e+18 9007199254740992.0
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f32(a[i]);
}
