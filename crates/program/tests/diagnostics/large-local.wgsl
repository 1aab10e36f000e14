@compute @workgroup_size(1) fn main() {
    var a: array<array<u32, 65536>, 65536>;
    a[0][0] = 1;
}
