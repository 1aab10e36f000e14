// Atomic operations on u64 in storage memory give the old value and see all 64 bits.
//: needs int64_atomics int64
//: in  0:0 u64 4294967295 5 MAX 4294967551 4294967551 264917625139440 30064771072 3 9 21474836480
//: out 0:0 u64 4294967297 18446744073709551614 18446462598732906495 9223372041149743615 254
//:: 1311768467463790320 12884901888 12884901888 9 21474836480
//: out 0:1 u64 4294967295 5 MAX 4294967551 4294967551 264917625139440 30064771072 3 9 21474836480
@group(0) @binding(0) var<storage, read_write> a: array<atomic<u64>, 10>;
@group(0) @binding(1) var<storage, read_write> old: array<u64, 10>;

@compute @workgroup_size(1)
fn main() {
    old[0] = atomicAdd(&a[0], 2lu);
    old[1] = atomicSub(&a[1], 7lu);
    old[2] = atomicAnd(&a[2], 18446462598732906495lu);
    old[3] = atomicOr(&a[3], 9223372036854776064lu);
    old[4] = atomicXor(&a[4], 4294967297lu);
    old[5] = atomicExchange(&a[5], 1311768467463790320lu);
    old[6] = atomicMin(&a[6], 12884901888lu);
    old[7] = atomicMax(&a[7], 12884901888lu);
    old[8] = atomicMin(&a[8], 10lu);
    old[9] = atomicMax(&a[9], 4294967296lu);
}
