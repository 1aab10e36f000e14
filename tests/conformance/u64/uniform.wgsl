// u64 and f64 in a uniform buffer: arrays of vec2<u64> step by 16 bytes.
//: needs int64 f64
//: in  0:0 u64 0x100000000 f64 0.5 u64 1 2 3 4 _ _ f64 5 6 7 _
//: out 0:1 f64 4294967296 0.5 3 7
struct Parameters {
    a: u64,
    b: f64,
    c: array<vec2<u64>, 2>,
    d: vec3<f64>,
}

@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(1)
fn main() {
    let copy = p;
    out[0] = f64(p.a);
    out[1] = p.b;
    out[2] = f64(copy.c[1].x);
    out[3] = copy.d.z;
}
