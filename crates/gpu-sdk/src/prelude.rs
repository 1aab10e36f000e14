//! What most kernels use: `use gpu_sdk::prelude::*;`.
//!
//! The attribute and the derive, buffers, ids, barriers, vectors with their constructors, and WGSL's
//! builtin functions. Names that are also in Rust's prelude, and those that only hosts use, are left
//! out.

pub use crate::math::{
    Float, Integer, Number, Signed, Vector, abs, acos, acosh, all, any, asin, asinh, atan, atan2,
    atanh, bitcast, ceil, clamp, cos, cosh, cross, degrees, determinant, distance, dot, exp, exp2,
    face_forward, floor, fma, fract, inverse_sqrt, length, log, log2, max, min, mix, normalize,
    pow, radians, reflect, refract, round, saturate, select, sign, sin, sinh, smoothstep, sqrt,
    step, tan, tanh, transpose, trunc,
};
pub use crate::types::{
    Mat2x2f, Mat3x3f, Mat4x4f, Vec2b, Vec2f, Vec2i, Vec2u, Vec3b, Vec3f, Vec3i, Vec3u, Vec4b,
    Vec4f, Vec4i, Vec4u, mat2x2f, mat3x3f, mat4x4f, vec2b, vec2f, vec2i, vec2u, vec3b, vec3f,
    vec3i, vec3u, vec4b, vec4f, vec4i, vec4u,
};
pub use crate::{
    Atomic, Binding, Derivative, HostShareable, Workgroup, dpdx, dpdy, fwidth,
    global_invocation_id, kernel, local_invocation_id, local_invocation_index, num_workgroups,
    set_pixel, storage_barrier, thread_id, time, workgroup, workgroup_barrier, workgroup_id,
    workgroup_size,
};
