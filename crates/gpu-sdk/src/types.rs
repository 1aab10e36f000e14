//! Vectors and matrices under their WGSL names.
//!
//! The types are glam's, so swizzles, operators and conversions are glam's too. Conversions such as
//! `as_ivec3` saturate as Rust's `as` does; [`operators`](crate::operators) has WGSL's. Only square
//! matrices exist, as in glam. A row vector times a matrix, WGSL's `v * m`, is `transpose(m) * v`.
//!
//! These are values. Their layout in buffers is defined by [`HostShareable`](crate::HostShareable),
//! which follows WGSL and not Rust's layout of the types.

/// WGSL's names, components and constructor for each vector type.
macro_rules! vectors {
    ($($name:ident, $constructor:ident = $glam:ident($scalar:ty: $($component:ident),*);)*) => { $(
        #[doc = concat!("Vector of ", stringify!($scalar), ": glam's `", stringify!($glam), "`.")]
        pub type $name = glam::$glam;

        #[doc = concat!("A [`", stringify!($name), "`] of its components.")]
        #[inline]
        #[must_use]
        pub const fn $constructor($($component: $scalar),*) -> $name {
            $name::new($($component),*)
        }
    )* };
}

vectors! {
    Vec2f, vec2f = Vec2(f32: x, y);
    Vec3f, vec3f = Vec3(f32: x, y, z);
    Vec4f, vec4f = Vec4(f32: x, y, z, w);
    Vec2i, vec2i = IVec2(i32: x, y);
    Vec3i, vec3i = IVec3(i32: x, y, z);
    Vec4i, vec4i = IVec4(i32: x, y, z, w);
    Vec2u, vec2u = UVec2(u32: x, y);
    Vec3u, vec3u = UVec3(u32: x, y, z);
    Vec4u, vec4u = UVec4(u32: x, y, z, w);
    Vec2b, vec2b = BVec2(bool: x, y);
    Vec3b, vec3b = BVec3(bool: x, y, z);
    Vec4b, vec4b = BVec4(bool: x, y, z, w);
}

/// WGSL's name and constructor for each matrix type, by columns.
macro_rules! matrices {
    ($($name:ident, $constructor:ident = $glam:ident($column:ty: $($axis:ident),*);)*) => { $(
        #[doc = concat!("Square matrix of f32: glam's `", stringify!($glam), "`.")]
        pub type $name = glam::$glam;

        #[doc = concat!("A [`", stringify!($name), "`] of its columns.")]
        #[inline]
        #[must_use]
        pub const fn $constructor($($axis: $column),*) -> $name {
            $name::from_cols($($axis),*)
        }
    )* };
}

matrices! {
    Mat2x2f, mat2x2f = Mat2(Vec2f: x, y);
    Mat3x3f, mat3x3f = Mat3(Vec3f: x, y, z);
    Mat4x4f, mat4x4f = Mat4(Vec4f: x, y, z, w);
}
