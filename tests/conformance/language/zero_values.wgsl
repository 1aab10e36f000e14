// A constructor without arguments is the zero value of its type.
//: in  0:0 u32 1
//: out 0:1 u32 0*13
@group(0) @binding(0) var<storage, read> one: u32;
@group(0) @binding(1) var<storage, read_write> out: Out;

struct Inner {
    v: vec2<i32>,
    flag: bool,
}

struct Out {
    words: array<u32, 13>,
}

@compute @workgroup_size(1)
fn main() {
    var all = one;
    let m = mat2x2<f32>();
    let inner = Inner();
    let list = array<u32, 3>();
    out.words[0] = u32();
    out.words[1] = u32(i32());
    out.words[2] = bitcast<u32>(f32());
    out.words[3] = u32(bool());
    out.words[4] = vec4<u32>().w;
    out.words[5] = bitcast<u32>(m[1][1]);
    out.words[6] = u32(inner.v.y);
    out.words[7] = u32(inner.flag);
    out.words[8] = list[all];
    out.words[9] = list[2];
    all = u32();
    out.words[10] = all;
    out.words[11] = u32(any(vec3<bool>()));
    out.words[12] = bitcast<u32>(vec2<f32>().y);
}
