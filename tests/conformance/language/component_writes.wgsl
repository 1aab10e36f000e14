// Components of a vector are written one by one, in variables and in storage.
//: in  0:0 u32 1 2 3 4
//: in  0:1 u32 2
//: out 0:0 u32 10 2 33 40
//: out 0:2 u32 0 7 8 0
@group(0) @binding(0) var<storage, read_write> v: vec4<u32>;
@group(0) @binding(1) var<storage, read> at: u32;
@group(0) @binding(2) var<storage, read_write> out: vec4<u32>;

@compute @workgroup_size(1)
fn main() {
    v.x = 10u;
    v.w *= 10u;
    v[at] += 30u;
    var local: vec4<u32>;
    local.y = 7u;
    local[at] = 8u;
    out = local;
}
