override n: u32 = 4;
var<workgroup> grid: array<array<u32, n>, 4>;
