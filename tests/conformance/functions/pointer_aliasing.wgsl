// Two pointers may lead to one variable where neither call writes through them, or inside one function.
//: in  0:0 u32 3 4
//: out 0:1 u32 7 14 9 12
@group(0) @binding(0) var<storage, read> a: vec2<u32>;
@group(0) @binding(1) var<storage, read_write> out: vec4<u32>;

fn sum(p: ptr<function, vec2<u32>>, q: ptr<function, vec2<u32>>) -> u32 {
    return (*p).x + (*q).y;
}

@compute @workgroup_size(1)
fn main() {
    var v = a;
    out.x = sum(&v, &v);
    let whole = &v;
    let same = &v;
    (*whole).x = 10u;
    out.y = (*same).x + v.y;
    (*same).y += 5u;
    out.z = (*whole).y;
    v = vec2(12u, 0u);
    out.w = (*whole).x + (*same).y;
}
