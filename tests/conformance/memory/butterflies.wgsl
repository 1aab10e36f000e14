// The indices of butterflies at all distances, with stores to both ends.
//: in  0:0 u32 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34
//::     35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
//: in  0:1 u32 1 2 4 8 16 32
//: out 0:0 u32 93533 10519 88890 60148 77306 43892 12852 56366 61914 19492 89751 19774 73079 96097 53585 78552
//::     33002 72651 45583 48717 29559 25685 87196 71831 6823 89440 52892 17295 29908 83802 32134 98633
//::     75613 79419 57724 7095 43038 85404 54973 58968 20626 49480 20993 4756 19 73273 33698 79237 77437
//::     79393 54920 98348 34918 67834 34289 19330 1826 14474 83848 38541 55422 94350 53137 40014
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read> distances: array<u32>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) t: u32) {
    for (var pass_number = 0u; pass_number < 6u; pass_number++) {
        let j = distances[pass_number];
        let i = (t / j) * 2u * j + t % j;
        let x = a[i];
        let y = a[i + j];
        a[i] = (x + 3u * y) % 100003u;
        a[i + j] = (y + 5u * x + t) % 100003u;
        storageBarrier();
    }
}
