//! Vectors packed into words and back.

use gpu_sdk::*;

use crate::math::harness::check;

#[test]
fn packing() {
    check!("pack4x8snorm(x)", |x: Vec4f| -> u32 { pack4x8snorm(x) });
    check!("pack4x8unorm(x)", |x: Vec4f| -> u32 { pack4x8unorm(x) });
    check!("pack2x16snorm(x)", |x: Vec2f| -> u32 { pack2x16snorm(x) });
    check!("pack2x16unorm(x)", |x: Vec2f| -> u32 { pack2x16unorm(x) });
    check!("pack4xI8(x)", |x: Vec4i| -> u32 { pack4x_i8(x) });
    check!("pack4xU8(x)", |x: Vec4u| -> u32 { pack4x_u8(x) });
    check!("pack4xI8Clamp(x)", |x: Vec4i| -> u32 { pack4x_i8_clamp(x) });
    check!("pack4xU8Clamp(x)", |x: Vec4u| -> u32 { pack4x_u8_clamp(x) });
}

#[test]
fn packing_halves() {
    // The NaN payload is unspecified, so NaNs are excluded.
    check!(
        "pack2x16float(select(x, vec2f(), x != x))",
        |x: Vec2f| -> u32 { pack2x16float(select(x, Vec2f::ZERO, x.is_nan_mask())) }
    );
}

#[test]
fn unpacking() {
    check!("unpack4x8snorm(x)", |x: u32| -> Vec4f { unpack4x8snorm(x) });
    check!("unpack4x8unorm(x)", |x: u32| -> Vec4f { unpack4x8unorm(x) });
    check!("unpack2x16snorm(x)", |x: u32| -> Vec2f {
        unpack2x16snorm(x)
    });
    check!("unpack2x16unorm(x)", |x: u32| -> Vec2f {
        unpack2x16unorm(x)
    });
    check!("unpack2x16float(x)", |x: u32| -> Vec2f {
        unpack2x16float(x)
    });
    check!("unpack4xI8(x)", |x: u32| -> Vec4i { unpack4x_i8(x) });
    check!("unpack4xU8(x)", |x: u32| -> Vec4u { unpack4x_u8(x) });
}

#[test]
fn dot_products_of_bytes() {
    check!("dot4I8Packed(x, y)", |x: u32, y: u32| -> i32 {
        dot4_i8_packed(x, y)
    });
    check!("dot4U8Packed(x, y)", |x: u32, y: u32| -> u32 {
        dot4_u8_packed(x, y)
    });
}
