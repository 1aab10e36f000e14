#version 450
// An input that is only looked at there is interpolated there.
// expect: @location(0) @interpolate(perspective, centroid)
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 o;
void main() { o = interpolateAtCentroid(a); }
