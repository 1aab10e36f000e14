// Subnormal numbers are kept by loads, stores and arithmetic.
//: in  0:0 f32 0x1p-149 0x1p-127 -0x1.8p-130 0x1p-126
//: out 0:1 f32 0x1p-149 0x1p-127 -0x1.8p-130 0x1p-126
//: out 0:2 f32 0x1p-148 0x1p-126 -0x1.8p-129 0x1p-125
//: out 0:3 f32 0.0 0x1p-128 -0x1.8p-131 0x1p-127
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> copied: array<f32>;
@group(0) @binding(2) var<storage, read_write> doubled: array<f32>;
@group(0) @binding(3) var<storage, read_write> halved: array<f32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    copied[i] = a[i];
    doubled[i] = a[i] + a[i];
    halved[i] = a[i] * 0.5;
}
