// Prefix sums of blocks in workgroup memory, to which the sums of the blocks before are added.
//: in 0:0 u32 7 95 87 76 97 74 9 17 48 87 82 88 10 97 89 88 45 15 61 50 63 97 82 24 99 53 32 76 33
//::     96 12 81 62 83 8 47 59 28 34 18 88 13 38 97 70 28 93 84 72 44 17 63 6 75 98 79 59 13 57 61 38 28
//::     89 56 95 56 61 26 20 10 35 9 76 29 72 94 84 24 98 4 13 34 99 87 82 31 73 58 15 22 45 73 52 56 54
//::     65 25 35 27 87 12
//: out 0:0 u32 7 102 189 265 362 436 445 462 510 597 679 767 777 874 963 1051 1096 1111 1172 1222
//::     1285 1382 1464 1488 1587 1640 1672 1748 1781 1877 1889 1970 2032 2115 2123 2170 2229 2257 2291
//::     2309 2397 2410 2448 2545 2615 2643 2736 2820 2892 2936 2953 3016 3022 3097 3195 3274 3333 3346
//::     3403 3464 3502 3530 3619 3675 3770 3826 3887 3913 3933 3943 3978 3987 4063 4092 4164 4258 4342
//::     4366 4464 4468 4481 4515 4614 4701 4783 4814 4887 4945 4960 4982 5027 5100 5152 5208 5262 5327
//::     5352 5387 5414 5501 5513
//: out 0:1 u32 1970 1705 1652 186
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<workgroup> block: array<u32, 32>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) lane: u32) {
    let n = arrayLength(&a);
    for (var start = 0u; start < n; start += 32u) {
        let i = start + lane;
        block[lane] = 0u;
        if (i < n) {
            block[lane] = a[i];
        }
        workgroupBarrier();
        for (var distance = 1u; distance < 32u; distance *= 2u) {
            let sum = block[lane] + select(0u, block[lane - distance], lane >= distance);
            workgroupBarrier();
            block[lane] = sum;
            workgroupBarrier();
        }
        if (i < n) {
            a[i] = block[lane];
        }
        if (lane == 31u) {
            sums[start / 32u] = block[lane];
        }
        workgroupBarrier();
    }
    storageBarrier();
    for (var i = lane; i < n; i += 32u) {
        var before = 0u;
        for (var k = 0u; k < i / 32u; k++) {
            before += sums[k];
        }
        a[i] += before;
    }
}
