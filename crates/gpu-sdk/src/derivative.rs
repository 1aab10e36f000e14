//! Derivatives on wasm32: differences between the four invocations of a quad.
//!
//! Natively the same names come from `anywarp-dispatch`, for fragments. A kernel on wasm32 has no
//! fragments. Its quads are the blocks of 2x2 invocations of a workgroup whose size is even along x
//! and y, as in GPU compute shaders with derivatives. In any other workgroup they are zero, as they
//! are natively outside a quad.
//!
//! `_coarse` gives all four invocations the difference at the quad's first corner, `_fine` gives
//! each row, or column, its own. The variants without suffix are `_fine`. Each call waits at two
//! workgroup barriers, so all invocations of the workgroup must reach the same call.

use crate::grid::{local_invocation_id, workgroup_barrier, workgroup_size};
use crate::types::{Vec2f, Vec3f, Vec4f, vec2f, vec3f, vec4f};

/// The maximum number of invocations of a workgroup with derivatives.
const MAX_INVOCATIONS: u32 = 1024;

crate::workgroup! {
    static VALUES: [Vec4f; MAX_INVOCATIONS as usize];
}

/// Whether a derivative uses the whole quad's difference or that of the invocation's own row or
/// column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    Coarse,
    Fine,
}

/// Vectors of up to four floats, extended to four.
trait Components: Copy {
    fn widen(self) -> Vec4f;
    fn narrow(values: Vec4f) -> Self;
}

macro_rules! components {
    ($($ty:ty: |$value:ident| $widen:expr, |$values:ident| $narrow:expr;)*) => {$(
        impl Components for $ty {
            #[inline]
            fn widen(self) -> Vec4f {
                let $value = self;
                $widen
            }

            #[inline]
            fn narrow($values: Vec4f) -> Self {
                $narrow
            }
        }
    )*};
}

components! {
    f32: |x| vec4f(x, 0.0, 0.0, 0.0), |v| v.x;
    Vec2f: |v| vec4f(v.x, v.y, 0.0, 0.0), |v| vec2f(v.x, v.y);
    Vec3f: |v| vec4f(v.x, v.y, v.z, 0.0), |v| vec3f(v.x, v.y, v.z);
    Vec4f: |v| v, |v| v;
}

/// The horizontal and the vertical difference.
fn differences(value: Vec4f, detail: Detail) -> [Vec4f; 2] {
    let size = workgroup_size();
    if size.x % 2 != 0 || size.y % 2 != 0 {
        return [Vec4f::ZERO; 2];
    }
    assert!(
        size.x.saturating_mul(size.y).saturating_mul(size.z) <= MAX_INVOCATIONS,
        "derivatives need a workgroup of at most 1024 invocations"
    );
    let id = local_invocation_id();
    let at = |x: u32, y: u32| (x + size.x * (y + size.y * id.z)) as usize;
    VALUES.store(at(id.x, id.y), value);
    workgroup_barrier();
    let (first_x, first_y) = (id.x & !1, id.y & !1);
    let (x, y) = match detail {
        Detail::Coarse => (first_x, first_y),
        Detail::Fine => (id.x, id.y),
    };
    let across = VALUES.load(at(first_x + 1, y)) - VALUES.load(at(first_x, y));
    let down = VALUES.load(at(x, first_y + 1)) - VALUES.load(at(x, first_y));
    // A barrier, because the next derivative overwrites the values.
    workgroup_barrier();
    [across, down]
}

#[inline]
fn across<V: Components>(value: V, detail: Detail) -> V {
    V::narrow(differences(value.widen(), detail)[0])
}

#[inline]
fn down<V: Components>(value: V, detail: Detail) -> V {
    V::narrow(differences(value.widen(), detail)[1])
}

#[inline]
fn width<V: Components>(value: V, detail: Detail) -> V {
    let [across, down] = differences(value.widen(), detail);
    V::narrow(across.abs() + down.abs())
}

mod sealed {
    /// Prevents implementations of [`Derivative`](super::Derivative) in other crates.
    pub trait Sealed {}
}

/// Declares the methods of [`Derivative`] and the functions of the same names.
macro_rules! derivatives {
    ($($(#[$doc:meta])* $name:ident, $difference:ident, $detail:ident;)*) => {
        /// Types with derivatives: f32 and vectors of it. The functions of the same names as the
        /// methods call them.
        pub trait Derivative: sealed::Sealed + Copy {
            $(
                $(#[$doc])*
                #[must_use]
                fn $name(self) -> Self;
            )*
        }

        /// Implements the trait for types.
        macro_rules! implement {
            ($ty:ty) => {
                impl sealed::Sealed for $ty {}

                impl Derivative for $ty {
                    $(
                        #[inline]
                        fn $name(self) -> Self {
                            $difference(self, Detail::$detail)
                        }
                    )*
                }
            };
        }

        $(
            $(#[$doc])*
            #[inline]
            #[must_use]
            pub fn $name<V: Derivative>(value: V) -> V {
                value.$name()
            }
        )*
    };
}

derivatives! {
    /// The change of a value from this invocation's column to the next.
    dpdx, across, Fine;
    /// The change of a value between the columns of the quad's first row.
    dpdx_coarse, across, Coarse;
    /// The change of a value between the columns of this invocation's row.
    dpdx_fine, across, Fine;
    /// The change of a value from this invocation's row to the next.
    dpdy, down, Fine;
    /// The change of a value between the rows of the quad's first column.
    dpdy_coarse, down, Coarse;
    /// The change of a value between the rows of this invocation's column.
    dpdy_fine, down, Fine;
    /// `abs(dpdx) + abs(dpdy)`.
    fwidth, width, Fine;
    /// `abs(dpdx_coarse) + abs(dpdy_coarse)`.
    fwidth_coarse, width, Coarse;
    /// `abs(dpdx_fine) + abs(dpdy_fine)`.
    fwidth_fine, width, Fine;
}

implement!(f32);
implement!(Vec2f);
implement!(Vec3f);
implement!(Vec4f);
