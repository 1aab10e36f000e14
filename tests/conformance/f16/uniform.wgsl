// f16 in a uniform buffer: vectors of four are 8 bytes apart, and a member may be a single f16.
//: needs f16
//: in  0:0 f16 1.5 -2 _ _ _ _ _ _ u32 3 4 5 6 f16 7 8 9 _ u32 _ _
//: out 0:1 f16 1.5 -2 4 9
enable f16;

struct Parameters {
    scale: f16,
    offset: f16,
    rows: array<vec4<u32>, 1>,
    last: vec3<f16>,
}

@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(1)
fn main() {
    out[0] = p.scale;
    out[1] = p.offset;
    out[2] = f16(p.rows[0].y);
    out[3] = p.last.z;
}
