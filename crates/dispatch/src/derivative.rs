//! Derivatives: differences between the fragments of a quad. Outside a quad they are zero.
//!
//! `_coarse` gives all four fragments the difference at the quad's first corner, `_fine` gives each
//! row, or column, its own. The variants without suffix are `_fine`. Each call, including `fwidth`,
//! needs one synchronization of the quad.

use std::panic::Location;

use glam::{Vec2, Vec3, Vec4};

use crate::error::SourceLocation;
use crate::quad::{QuadValue, exchange};

/// Whether a derivative uses the whole quad's difference or that of the fragment's own row or
/// column.
#[derive(Clone, Copy)]
enum Detail {
    Coarse,
    Fine,
}

/// The indices of the fragments to subtract for the horizontal and the vertical difference.
#[inline(always)]
fn pairs(detail: Detail, member: u32) -> [[usize; 2]; 2] {
    let member = match detail {
        Detail::Coarse => 0,
        Detail::Fine => member as usize,
    };
    let (row, column) = (member & 2, member & 1);
    [[row, row | 1], [column, column | 2]]
}

/// The horizontal and the vertical difference of up to four floats.
#[inline(always)]
fn differences<V: QuadValue>(site: SourceLocation, value: V, detail: Detail) -> [Vec4; 2] {
    match exchange(site, value.to_words()) {
        Some((values, member)) => pairs(detail, member)
            .map(|[from, to]| Vec4::from_words(values[to]) - Vec4::from_words(values[from])),
        None => [Vec4::ZERO; 2],
    }
}

#[inline(always)]
fn across<V: QuadValue>(site: SourceLocation, value: V, detail: Detail) -> V {
    V::from_words(differences(site, value, detail)[0].to_words())
}

#[inline(always)]
fn down<V: QuadValue>(site: SourceLocation, value: V, detail: Detail) -> V {
    V::from_words(differences(site, value, detail)[1].to_words())
}

#[inline(always)]
fn width<V: QuadValue>(site: SourceLocation, value: V, detail: Detail) -> V {
    let [across, down] = differences(site, value, detail);
    V::from_words((across.abs() + down.abs()).to_words())
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
                #[track_caller]
                fn $name(self) -> Self;
            )*
        }

        /// Implements the trait for types.
        macro_rules! implement {
            ($ty:ty) => {
                impl sealed::Sealed for $ty {}

                impl Derivative for $ty {
                    $(
                        #[inline(always)]
                        #[track_caller]
                        fn $name(self) -> Self {
                            $difference(Location::caller(), self, Detail::$detail)
                        }
                    )*
                }
            };
        }

        $(
            $(#[$doc])*
            #[inline(always)]
            #[must_use]
            #[track_caller]
            pub fn $name<V: Derivative>(value: V) -> V {
                value.$name()
            }
        )*
    };
}

derivatives! {
    /// The change of a value from this pixel's column to the next.
    dpdx, across, Fine;
    /// The change of a value between the columns of the quad's first row.
    dpdx_coarse, across, Coarse;
    /// The change of a value between the columns of this pixel's row.
    dpdx_fine, across, Fine;
    /// The change of a value from this pixel's row to the next.
    dpdy, down, Fine;
    /// The change of a value between the rows of the quad's first column.
    dpdy_coarse, down, Coarse;
    /// The change of a value between the rows of this pixel's column.
    dpdy_fine, down, Fine;
    /// `abs(dpdx) + abs(dpdy)`.
    fwidth, width, Fine;
    /// `abs(dpdx_coarse) + abs(dpdy_coarse)`.
    fwidth_coarse, width, Coarse;
    /// `abs(dpdx_fine) + abs(dpdy_fine)`.
    fwidth_fine, width, Fine;
}

implement!(f32);
implement!(Vec2);
implement!(Vec3);
implement!(Vec4);

// Miri cannot switch stacks.
#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use crate::group::Group;

    #[test]
    fn each_derivative_is_one_meeting() {
        let meetings = || Group::with_current(Group::round).unwrap();
        crate::dispatch_fragments(
            4,
            4,
            |x, y| Vec2::new(x as f32, y as f32),
            |_, value| {
                let before = meetings();
                let _ = fwidth(value);
                assert_eq!(meetings(), before.wrapping_add(1));
                let _ = dpdx(value);
                let _ = dpdy_coarse(value);
                assert_eq!(meetings(), before.wrapping_add(3));
            },
        );
    }
}
