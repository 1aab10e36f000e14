// A stencil in place: each row reads neighbors in the row that was stored before it, downwards and upwards.
//: in 0:0 u32 83 80 70 92 50 3 12 14 26 56 30 39 29 18 76 64 49 51 79 40 89 10 65 83 8 93 19 88 5 3
//::     18 50 31 41 8 25 35 41 55 60 27 84 63 30 0 67 91 12 13 2 27*2 96 12 18 71 93 17 4 79 87 93 69
//::     21*2 67 7 6 49 62 68 14 53 95 94 26 43 21 29 7 70 1 38 33 53 24 86 67 56 74 92 63 41 32 97 99 35
//::     82 37 74 60 6 33 51 7 99 6 77 39 23 76 37 29 28 72 32 64 91 53 88 77 3 77 90 40 97 26 59 37 12 1
//::     97 65 12 0
//: out 0:0 u32 563 148 700 546 541 426 799 882 505 4 870 781 313 164 132 347 597 641 802 327 475
//::     590 689 335 293 985 23 717 931 519 11 886 436 29 625 723 381 369 953 915 564 616 263 230 242 449
//::     522 60 803 280 645 870 87 578 577 346 615 308 550 104 590 408 576 442 265 912 387 180 327 279
//::     232 508 712 540 481 127 99 263 877 159 400 56 514 96 275 742 905 533 302 547 591 115 773 881 937
//::     643 202 747 922 504 381 760 530 288 506 668 221 591 964 82 605 831 391 237 394 126 588 813 163
//::     899 560 152 646 605 846 781 492 890 365 709 566 194 957 364 664
@group(0) @binding(0) var<storage, read_write> a: array<u32>;

const W: u32 = 27u;
const H: u32 = 5u;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) x: u32) {
    for (var y = 1u; y < H; y++) {
        if (x < W) {
            let left = select(x - 1u, W - 1u, x == 0u);
            let right = select(x + 1u, 0u, x + 1u == W);
            let above = (y - 1u) * W;
            let i = y * W + x;
            a[i] = (a[i] + a[above + left] + 2u * a[above + x] + 3u * a[above + right]) % 1009u;
        }
        storageBarrier();
    }
    for (var y = i32(H) - 2; y >= 0; y--) {
        if (x < W) {
            let column = i32(x);
            let below = (y + 1) * i32(W);
            let i = y * i32(W) + column;
            let right = a[below + min(column + 1, i32(W) - 1)];
            a[i] = (a[i] + right + 5u * a[below + max(column - 1, 0)]) % 1009u;
        }
        storageBarrier();
    }
}
