//! Float operations that are one machine instruction but missing in `core`.
//!
//! All are exact or correctly rounded, so all implementations have the same results.

#[cfg(not(target_arch = "wasm32"))]
mod backend {
    #[inline]
    pub(in crate::math) fn floor(x: f32) -> f32 {
        x.floor()
    }

    #[inline]
    pub(in crate::math) fn ceil(x: f32) -> f32 {
        x.ceil()
    }

    #[inline]
    pub(in crate::math) fn trunc(x: f32) -> f32 {
        x.trunc()
    }

    #[inline]
    pub(in crate::math) fn round_ties_even(x: f32) -> f32 {
        x.round_ties_even()
    }

    #[inline]
    pub(in crate::math) fn sqrt_f32(x: f32) -> f32 {
        x.sqrt()
    }

    #[inline]
    pub(in crate::math) fn sqrt_f64(x: f64) -> f64 {
        x.sqrt()
    }

    #[inline]
    pub(in crate::math) fn mul_add(x: f32, y: f32, z: f32) -> f32 {
        x.mul_add(y, z)
    }
}

/// On stable Rust `libm` computes these in software. For C's names the compiler emits the
/// instruction, or calls the function of `compiler_builtins`, which consists of that instruction.
#[cfg(target_arch = "wasm32")]
mod backend {
    // SAFETY: these are C's math functions, with C's signatures, and have no precondition.
    unsafe extern "C" {
        safe fn floorf(x: f32) -> f32;
        safe fn ceilf(x: f32) -> f32;
        safe fn truncf(x: f32) -> f32;
        safe fn rintf(x: f32) -> f32;
        safe fn sqrtf(x: f32) -> f32;
        safe fn sqrt(x: f64) -> f64;
    }

    #[inline]
    pub(in crate::math) fn floor(x: f32) -> f32 {
        floorf(x)
    }

    #[inline]
    pub(in crate::math) fn ceil(x: f32) -> f32 {
        ceilf(x)
    }

    #[inline]
    pub(in crate::math) fn trunc(x: f32) -> f32 {
        truncf(x)
    }

    #[inline]
    pub(in crate::math) fn round_ties_even(x: f32) -> f32 {
        rintf(x)
    }

    #[inline]
    pub(in crate::math) fn sqrt_f32(x: f32) -> f32 {
        sqrtf(x)
    }

    #[inline]
    pub(in crate::math) fn sqrt_f64(x: f64) -> f64 {
        sqrt(x)
    }

    #[inline]
    pub(in crate::math) fn mul_add(x: f32, y: f32, z: f32) -> f32 {
        libm::fmaf(x, y, z)
    }
}

pub(super) use backend::{ceil, floor, mul_add, round_ties_even, sqrt_f32, sqrt_f64, trunc};
