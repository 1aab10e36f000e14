//! Rings with soft edges: a pixel's edge is as wide as the distance changes from it to the next, which
//! derivatives say.

use gpu_sdk::{
    Vec2f, Vec4f, clamp, dpdx_coarse, dpdy_coarse, fract, fwidth, global_invocation_id, length,
    set_pixel, vec2f, vec4f,
};

/// The colour at a pixel's centre. Natively a fragment calls it, on wasm32 a kernel whose workgroups
/// are made of quads.
#[must_use]
pub fn ring_colour(position: Vec2f) -> Vec4f {
    let distance = length(position * 0.06) * length(position * 0.06);
    let edge = fwidth(distance);
    let ring = clamp((fract(distance) - 0.5) / edge, 0.0, 1.0);
    let slope = dpdx_coarse(position * distance) + dpdy_coarse(position * distance);
    vec4f(ring, edge, fract(slope.x), fract(slope.y))
}

/// One pixel, in a grid of two dimensions.
#[gpu_sdk::kernel]
pub fn rings() {
    let id = global_invocation_id();
    let colour = ring_colour(vec2f(id.x as f32 + 0.5, id.y as f32 + 0.5));
    set_pixel(
        id.x as i32,
        id.y as i32,
        colour.x,
        colour.y,
        colour.z,
        colour.w,
    );
}
