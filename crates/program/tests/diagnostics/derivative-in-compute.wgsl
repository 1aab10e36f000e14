@compute @workgroup_size(1) fn main() { _ = dpdx(1.0); }
