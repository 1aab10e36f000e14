// Every atomic operation on i32 in workgroup memory returns the old value and stores the new one.
//: in  0:2 i32 -5
//: out 0:1 i32 -5 -5 -5 -5 -5 -5 -5 -5 8
//: out 0:0 i32 2 -8 4 -5 2 -5 -12 42 8
@group(0) @binding(0) var<storage, read_write> after: array<i32, 9>;
@group(0) @binding(1) var<storage, read_write> old: array<i32, 9>;
@group(0) @binding(2) var<storage, read> start: i32;

var<workgroup> a: array<atomic<i32>, 9>;

@compute @workgroup_size(1)
fn main() {
    for (var i = 0; i < 9; i++) {
        atomicStore(&a[i], start);
    }
    old[0] = atomicAdd(&a[0], 7);
    old[1] = atomicSub(&a[1], 3);
    old[2] = atomicMax(&a[2], 4);
    old[3] = atomicMin(&a[3], 4);
    old[4] = atomicAnd(&a[4], 6);
    old[5] = atomicOr(&a[5], 9);
    old[6] = atomicXor(&a[6], 15);
    old[7] = atomicExchange(&a[7], 42);
    atomicStore(&a[8], 8);
    old[8] = atomicLoad(&a[8]);
    for (var i = 0; i < 9; i++) {
        after[i] = atomicLoad(&a[i]);
    }
}
