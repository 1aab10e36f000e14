override needed: f32;
override other: u32 = 1;
@compute @workgroup_size(1) fn main() { }
