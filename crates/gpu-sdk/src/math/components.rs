//! The common interface of scalars and vectors, so that one definition of a function serves both.
//!
//! Everything is expressed with two operations: read a component, and build a value from its
//! components. Inlining removes both.

use crate::types::{
    Vec2b, Vec2f, Vec2i, Vec2u, Vec3b, Vec3f, Vec3i, Vec3u, Vec4b, Vec4f, Vec4i, Vec4u,
};

use super::scalar::{IntegerScalar, NumberScalar, Word};

mod sealed {
    pub trait Sealed {}
}

/// A scalar, which has itself as its only component, or a vector of two to four components.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a scalar nor a vector of WGSL",
    note = "these are f32, i32, u32, bool and vectors of them: `Vec3f`, `Vec2u`, ..."
)]
pub trait Components: Copy + sealed::Sealed {
    /// The type of a component.
    type Scalar: Copy;
    /// The type with the same number of components and scalar f32.
    type Floats: Components<Scalar = f32>;
    /// The type with the same number of components and scalar i32.
    type Ints: Components<Scalar = i32>;
    /// The type with the same number of components and scalar u32.
    type Uints: Components<Scalar = u32>;
    /// The type with the same number of components and scalar bool.
    type Mask: Components<Scalar = bool>;

    /// The number of components.
    const COUNT: usize;

    /// Builds a value from its components, which are requested in order.
    fn from_fn(component: impl FnMut(usize) -> Self::Scalar) -> Self;

    /// One component.
    ///
    /// # Panics
    ///
    /// If `index` is not below [`COUNT`](Self::COUNT).
    fn component(self, index: usize) -> Self::Scalar;
}

/// A vector of two to four components.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a vector of WGSL")]
pub trait Vector: Components {}

/// f32 or a vector of f32.
#[diagnostic::on_unimplemented(message = "`{Self}` is neither f32 nor a vector of f32")]
pub trait Float: Components<Scalar = f32> {}
impl<T: Components<Scalar = f32>> Float for T {}

/// i32, u32 or a vector of these.
#[diagnostic::on_unimplemented(message = "`{Self}` is neither i32, u32 nor a vector of these")]
pub trait Integer: Components<Scalar: IntegerScalar> {}
impl<T: Components<Scalar: IntegerScalar>> Integer for T {}

/// f32, i32, u32 or a vector of these.
#[diagnostic::on_unimplemented(message = "`{Self}` is neither f32, i32, u32 nor a vector of these")]
pub trait Number: Components<Scalar: NumberScalar + Word> {}
impl<T: Components<Scalar: NumberScalar + Word>> Number for T {}

/// f32, i32 or a vector of these.
#[diagnostic::on_unimplemented(message = "`{Self}` is neither f32, i32 nor a vector of these")]
pub trait Signed: Components<Scalar: super::scalar::SignedScalar> {}
impl<T: Components<Scalar: super::scalar::SignedScalar>> Signed for T {}

/// A value where WGSL expects a `T`, or one scalar that is splatted to all components.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither `{T}` nor a scalar that could be repeated into one"
)]
pub trait Spread<T> {
    /// The value, or the vector with the scalar in every component.
    fn spread(self) -> T;
}

impl<T: Components> Spread<T> for T {
    #[inline]
    fn spread(self) -> T {
        self
    }
}

/// The mask type that glam's comparisons of `Vec4f` return.
impl Spread<Vec4b> for glam::BVec4A {
    #[inline]
    fn spread(self) -> Vec4b {
        Vec4b::from_fn(|i| self.test(i))
    }
}

macro_rules! scalars {
    ($($scalar:ty)*) => { $(
        impl sealed::Sealed for $scalar {}

        impl Components for $scalar {
            type Scalar = $scalar;
            type Floats = f32;
            type Ints = i32;
            type Uints = u32;
            type Mask = bool;

            const COUNT: usize = 1;

            #[inline(always)]
            fn from_fn(mut component: impl FnMut(usize) -> $scalar) -> Self {
                component(0)
            }

            #[inline(always)]
            fn component(self, index: usize) -> $scalar {
                assert!(index == 0, "a scalar has one component");
                self
            }
        }
    )* };
}

scalars! { f32 i32 u32 bool }

macro_rules! vectors {
    ($($vector:ty = [$scalar:ty; $count:literal: $($index:literal)*],
        $floats:ty, $ints:ty, $uints:ty, $mask:ty;)*) => { $(
        impl sealed::Sealed for $vector {}

        impl Vector for $vector {}

        impl Components for $vector {
            type Scalar = $scalar;
            type Floats = $floats;
            type Ints = $ints;
            type Uints = $uints;
            type Mask = $mask;

            const COUNT: usize = $count;

            #[inline(always)]
            fn from_fn(mut component: impl FnMut(usize) -> $scalar) -> Self {
                Self::new($(component($index)),*)
            }

            #[inline(always)]
            fn component(self, index: usize) -> $scalar {
                <[$scalar; $count]>::from(self)[index]
            }
        }

        impl Spread<$vector> for $scalar {
            #[inline]
            fn spread(self) -> $vector {
                <$vector>::splat(self)
            }
        }
    )* };
}

vectors! {
    Vec2f = [f32; 2: 0 1], Vec2f, Vec2i, Vec2u, Vec2b;
    Vec3f = [f32; 3: 0 1 2], Vec3f, Vec3i, Vec3u, Vec3b;
    Vec4f = [f32; 4: 0 1 2 3], Vec4f, Vec4i, Vec4u, Vec4b;
    Vec2i = [i32; 2: 0 1], Vec2f, Vec2i, Vec2u, Vec2b;
    Vec3i = [i32; 3: 0 1 2], Vec3f, Vec3i, Vec3u, Vec3b;
    Vec4i = [i32; 4: 0 1 2 3], Vec4f, Vec4i, Vec4u, Vec4b;
    Vec2u = [u32; 2: 0 1], Vec2f, Vec2i, Vec2u, Vec2b;
    Vec3u = [u32; 3: 0 1 2], Vec3f, Vec3i, Vec3u, Vec3b;
    Vec4u = [u32; 4: 0 1 2 3], Vec4f, Vec4i, Vec4u, Vec4b;
    Vec2b = [bool; 2: 0 1], Vec2f, Vec2i, Vec2u, Vec2b;
    Vec3b = [bool; 3: 0 1 2], Vec3f, Vec3i, Vec3u, Vec3b;
    Vec4b = [bool; 4: 0 1 2 3], Vec4f, Vec4i, Vec4u, Vec4b;
    glam::BVec4A = [bool; 4: 0 1 2 3], Vec4f, Vec4i, Vec4u, Vec4b;
}
