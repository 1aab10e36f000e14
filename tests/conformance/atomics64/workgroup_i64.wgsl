// Atomic operations on i64 in workgroup memory give the old value and see all 64 bits.
//: needs int64_atomics int64
//: in  0:0 i64 4294967295 5 -1 4294967551 4294967551 264917625139440 30064771072 3 -9 21474836480
//: out 0:0 i64 4294967297 -2 -281474976645121 -9223372032559808001 254 1311768467463790320
//:: 12884901888 12884901888 -9 21474836480
//: out 0:1 i64 4294967295 5 -1 4294967551 4294967551 264917625139440 30064771072 3 -9 21474836480
@group(0) @binding(0) var<storage, read_write> a: array<atomic<i64>, 10>;
@group(0) @binding(1) var<storage, read_write> old: array<i64, 10>;
var<workgroup> w: array<atomic<i64>, 10>;

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 10u; i++) {
        atomicStore(&w[i], atomicLoad(&a[i]));
    }
    old[0] = atomicAdd(&w[0], 2li);
    old[1] = atomicSub(&w[1], 7li);
    old[2] = atomicAnd(&w[2], -281474976645121li);
    old[3] = atomicOr(&w[3], -9223372036854775552li);
    old[4] = atomicXor(&w[4], 4294967297li);
    old[5] = atomicExchange(&w[5], 1311768467463790320li);
    old[6] = atomicMin(&w[6], 12884901888li);
    old[7] = atomicMax(&w[7], 12884901888li);
    old[8] = atomicMin(&w[8], -1li);
    old[9] = atomicMax(&w[9], -4294967296li);
    for (var i = 0u; i < 10u; i++) {
        atomicStore(&a[i], atomicLoad(&w[i]));
    }
}
