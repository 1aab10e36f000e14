//! Functions of whole vectors and matrices, and choices.

use gpu_sdk::*;

use crate::math::harness::check;

macro_rules! for_vectors {
    ($vector:ident: $($body:tt)*) => {{
        { type $vector = Vec2f; $($body)* }
        { type $vector = Vec3f; $($body)* }
        { type $vector = Vec4f; $($body)* }
    }};
}

#[test]
fn lengths_and_products() {
    for_vectors! { V:
        check!("dot(x, y)", |x: V, y: V| -> f32 { dot(x, y) });
        check!("length(x)", |x: V| -> f32 { length(x) });
        check!("distance(x, y)", |x: V, y: V| -> f32 { distance(x, y) });
        check!("normalize(x)", |x: V| -> V { normalize(x) });
    }
    check!("length(x)", |x: f32| -> f32 { length(x) });
    check!("distance(x, y)", |x: f32, y: f32| -> f32 { distance(x, y) });
    check!("cross(x, y)", |x: Vec3f, y: Vec3f| -> Vec3f { cross(x, y) });
    check!("dot(x, y)", |x: Vec3i, y: Vec3i| -> i32 { dot(x, y) });
    check!("dot(x, y)", |x: Vec4u, y: Vec4u| -> u32 { dot(x, y) });
}

#[test]
fn surfaces() {
    for_vectors! { V:
        check!("faceForward(x, y, z)", |x: V, y: V, z: V| -> V { face_forward(x, y, z) });
        check!("reflect(x, y)", |x: V, y: V| -> V { reflect(x, y) });
        check!("refract(x, y, z)", |x: V, y: V, z: f32| -> V { refract(x, y, z) });
    }
}

#[test]
fn matrices() {
    macro_rules! for_matrix {
        ($matrix:ty, $vector:ty) => {
            check!("transpose(x)", |x: $matrix| -> $matrix { transpose(x) });
            check!("determinant(x)", |x: $matrix| -> f32 { determinant(x) });
            check!("x * y", |x: $matrix, y: $vector| -> $vector { x * y });
            check!("x * y", |x: $vector, y: $matrix| -> $vector {
                transpose(y) * x
            });
            check!("x * y", |x: $matrix, y: $matrix| -> $matrix { x * y });
            check!("x * y", |x: $matrix, y: f32| -> $matrix { x * y });
            check!("x + y", |x: $matrix, y: $matrix| -> $matrix { x + y });
        };
    }
    for_matrix!(Mat2x2f, Vec2f);
    for_matrix!(Mat3x3f, Vec3f);
    for_matrix!(Mat4x4f, Vec4f);
}

#[test]
fn choices() {
    check!("select(x, y, z != 0)", |x: f32, y: f32, z: u32| -> f32 {
        select(x, y, z != 0)
    });
    check!("select(x, y, z != 0)", |x: Vec3i,
                                    y: Vec3i,
                                    z: u32|
     -> Vec3i {
        select(x, y, z != 0)
    });
    check!("select(x, y, z < x)", |x: Vec2f,
                                   y: Vec2f,
                                   z: Vec2f|
     -> Vec2f {
        select(x, y, z.cmplt(x))
    });
    check!("select(x, y, z < x)", |x: Vec4f,
                                   y: Vec4f,
                                   z: Vec4f|
     -> Vec4f {
        select(x, y, z.cmplt(x))
    });
    check!("u32(all(x < y))", |x: Vec3f, y: Vec3f| -> u32 {
        all(x.cmplt(y)).into()
    });
    check!("u32(any(x < y))", |x: Vec4f, y: Vec4f| -> u32 {
        any(x.cmplt(y)).into()
    });
    check!("u32(all(x != 0))", |x: u32| -> u32 { all(x != 0).into() });
    check!("u32(any(x == y))", |x: Vec2u, y: Vec2u| -> u32 {
        any(x.cmpeq(y)).into()
    });
}

#[test]
fn the_same_bits() {
    check!("bitcast<u32>(x)", |x: f32| -> u32 { bitcast::<u32>(x) });
    check!("bitcast<f32>(x)", |x: i32| -> f32 { bitcast::<f32>(x) });
    check!("bitcast<vec3i>(x)", |x: Vec3f| -> Vec3i {
        bitcast::<Vec3i>(x)
    });
    check!("bitcast<vec4f>(x)", |x: Vec4u| -> Vec4f {
        bitcast::<Vec4f>(x)
    });
}
