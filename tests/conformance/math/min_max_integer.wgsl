// min and max order i32 as signed and u32 as unsigned.
//: in  0:0 i32 1 -1 MIN MAX
//: in  0:1 i32 2 1 MAX -1
//: out 0:2 i32 1 -1 MIN -1   2 1 MAX MAX
//: out 0:3 u32 1 1 0x7fffffff 0x7fffffff   2 MAX 0x80000000 MAX
@group(0) @binding(0) var<storage, read> a: vec4<i32>;
@group(0) @binding(1) var<storage, read> b: vec4<i32>;
@group(0) @binding(2) var<storage, read_write> signed: array<vec4<i32>, 2>;
@group(0) @binding(3) var<storage, read_write> unsigned: array<vec4<u32>, 2>;

@compute @workgroup_size(1)
fn main() {
    signed[0] = min(a, b);
    signed[1] = max(a, b);
    unsigned[0] = min(vec4<u32>(a), vec4<u32>(b));
    unsigned[1] = max(vec4<u32>(a), vec4<u32>(b));
}
