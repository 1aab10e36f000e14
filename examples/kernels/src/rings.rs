//! Rings with soft edges: the width of an edge is the difference of the distance between adjacent
//! pixels, computed with derivatives.

use gpu_sdk::{
    Vec2f, Vec4f, abs, clamp, dot, dpdx_coarse, dpdy_coarse, fract, fwidth, global_invocation_id,
    set_pixel, vec2f, vec4f,
};

/// The colour at a pixel's centre. Native builds call it from a fragment shader, wasm32 builds from a kernel whose
/// workgroups consist of quads, for the derivatives.
#[must_use]
pub fn ring_colour(position: Vec2f) -> Vec4f {
    let scaled = position * 0.03;
    let distance = dot(scaled, scaled);
    let edge = fwidth(distance);
    let ring = clamp((abs(fract(distance) - 0.5) - 0.25) / edge + 0.5, 0.0, 1.0);
    // Coarse derivatives, so that the quads are visible.
    let slope = dpdx_coarse(distance) + dpdy_coarse(distance);
    vec4f(ring, 0.5 * ring + slope, slope, 1.0)
}

/// Draws one pixel; the grid has two dimensions.
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
