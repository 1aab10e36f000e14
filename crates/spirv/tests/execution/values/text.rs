//! The fixed start and end of every program.

use std::fmt::Write;

use super::Extras;

pub(super) const SUBGROUPS: &str = "#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle : require
";

pub(super) const HEAD: &str = "layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Floats { float floats[]; };
layout(set = 0, binding = 2) buffer Cells { uint cells[]; };
shared uint tile[64];
shared uint own[64];
int turn;
";

pub(super) const MAIN: &str = "void main() {
    uint number = gl_GlobalInvocationID.x;
    uint at = number * 48u;
    turn = int(data[at] & 0xffu);
    int x0 = int(data[at + 1]);
    uint x1 = data[at + 2];
    float x2 = float(data[at + 3] & 127u) / 4.0 - 16.0;
    ivec3 x3 = ivec3(data[at + 4], data[at + 5], int(data[at + 6]) >> 20);
    uvec2 x4 = uvec2(data[at + 7], data[at + 8] & 255u);
    vec4 x5 = vec4(uvec4(data[at + 9], data[at + 10], data[at + 11], data[at + 12]) & 63u) / 4.0;
    bvec2 x6 = bvec2((data[at + 13] & 1u) != 0u, (data[at + 14] & 2u) != 0u);
    mat3x2 x7 = mat3x2(x5.xy, x5.zw, -x5.yz);
";

pub(super) const END: &str = "    data[at] = uint(x0);
    data[at + 1] = x1;
    data[at + 2] = uint(int(x2 * 4.0));
    data[at + 3] = uint(x3.x);
    data[at + 4] = uint(x3.y);
    data[at + 5] = uint(x3.z);
    data[at + 6] = x4.x;
    data[at + 7] = x4.y;
    for (int i = 0; i < 4; i++) data[at + 8 + i] = uint(int(x5[i] * 4.0));
    data[at + 12] = (x6.x ? 1u : 0u) | (x6.y ? 2u : 0u);
    data[at + 13] = uint(int(x7[0].x * 4.0)) ^ (uint(int(x7[1].y * 4.0)) << 16);
    data[at + 14] = uint(int(x7[2].x * 4.0)) ^ (uint(int(x7[1].x * 4.0)) << 16);
    data[at + 15] = uint(int(x7[0].y * 4.0)) ^ (uint(int(x7[2].y * 4.0)) << 16);
}
";

/// Functions that round and clamp floats to the exact range, and that wrap builtin functions with `out` parameters.
pub(super) fn helpers(extras: Extras) -> String {
    let mut text = String::from(
        "#define Q(T) T q(T x) { return clamp(floor(x * 4.0) * 0.25, T(-64.0), T(64.0)); }
Q(float) Q(vec2) Q(vec3) Q(vec4)
float whole(float x) { float w; float f = modf(x, w); return q(f * 2.0 + w); }
vec2 whole(vec2 x) { vec2 w; vec2 f = modf(x, w); return q(f * 2.0 + w); }
vec3 whole(vec3 x) { vec3 w; vec3 f = modf(x, w); return q(f * 2.0 + w); }
vec4 whole(vec4 x) { vec4 w; vec4 f = modf(x, w); return q(f * 2.0 + w); }
float halved(float x) { int e; float m = frexp(x, e); return q(m * 4.0 + float(e)); }
float scaled(float x, int e) { return q(ldexp(x, e - 1)); }
vec2 scaled(vec2 x, int e) { return q(ldexp(x, ivec2(e, 1))); }
vec3 scaled(vec3 x, int e) { return q(ldexp(x, ivec3(e, -e, 0))); }
vec4 scaled(vec4 x, int e) { return q(ldexp(x, ivec4(e, 1, 0, -e))); }
float length_() { return float(data.length() & 63); }
int quarters(float x) { return floatBitsToInt(floor(x) + 100.0); }
ivec2 quarters(vec2 x) { return floatBitsToInt(floor(x) + 100.0); }
ivec3 quarters(vec3 x) { return floatBitsToInt(floor(x) + 100.0); }
ivec4 quarters(vec4 x) { return floatBitsToInt(floor(x) + 100.0); }
#define FOLD(T, I) T folded(I##vec2 v) { return v.x * T(3) + v.y; } \\
    T folded(I##vec3 v) { return v.x * T(3) ^ v.y + v.z; } \\
    T folded(I##vec4 v) { for (int i = 0; i < 3; i++) v[i + 1] += v[i] * T(5); return v.w; }
FOLD(int, i) FOLD(uint, u)
#define WIDE(T, I) T carried(T a, T b) { T c; T r = uaddCarry(a, b, c); return r ^ (c << 4); } \\
    T borrowed(T a, T b) { T c; T r = usubBorrow(a, b, c); return r ^ (c << 4); } \\
    T extended(T a, T b) { T h; T l; umulExtended(a, b, h, l); return h * 3u ^ l; } \\
    I extended(I a, I b) { I h; I l; imulExtended(a, b, h, l); return h * 3 ^ l; }
WIDE(uint, int) WIDE(uvec2, ivec2) WIDE(uvec3, ivec3) WIDE(uvec4, ivec4)
",
    );
    for (columns, rows) in (2..5).flat_map(|c| (2..5).map(move |r| (c, r))) {
        let parts: Vec<_> = (0..columns).map(|it| format!("q(m[{it}])")).collect();
        let _ = writeln!(
            text,
            "mat{columns}x{rows} q(mat{columns}x{rows} m) {{ return mat{columns}x{rows}({}); }}",
            parts.join(", ")
        );
    }
    if extras.doubles {
        text.push_str("Q(double) Q(dvec2) Q(dvec3) Q(dvec4)\n");
    }
    text
}
