// In vectors, too, min and max give the component that is a number.
//: in  0:0 f32 1 nan 3 nan
//: in  0:1 f32 2 2 nan nan
//: out 0:2 f32 1 2 3 nan
//: out 0:3 f32 2 2 3 nan
@group(0) @binding(0) var<storage, read> a: vec4<f32>;
@group(0) @binding(1) var<storage, read> b: vec4<f32>;
@group(0) @binding(2) var<storage, read_write> low: vec4<f32>;
@group(0) @binding(3) var<storage, read_write> high: vec4<f32>;

@compute @workgroup_size(1)
fn main() {
    low = min(a, b);
    high = max(a, b);
}
