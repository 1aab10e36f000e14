#version 450
// expect: @builtin(sample_mask) gl_SampleMaskIn_1: u32
// expect: @builtin(sample_mask) gl_SampleMask: u32,
// expect: bitcast<i32>(gl_SampleMaskIn_1)
void main() { gl_SampleMask[0] = gl_SampleMaskIn[0] & 3; }
