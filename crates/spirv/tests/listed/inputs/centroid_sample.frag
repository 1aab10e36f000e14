#version 450
// expect: @interpolate(perspective, centroid) a_1: f32
// expect: @interpolate(perspective, sample) b_1: f32
// expect: @interpolate(linear, centroid) c_1: f32
layout(location = 0) centroid in float a;
layout(location = 1) sample in float b;
layout(location = 2) noperspective centroid in float c;
layout(location = 0) out float y;
void main() { y = a + b + c; }
