//! Functions of i32, u32 and their vectors.

use gpu_sdk::operators::{
    add, divide, multiply, negate, remainder, shift_left, shift_right, subtract,
};
use gpu_sdk::*;

use crate::math::harness::{check, check_all};

#[test]
fn ranges_and_signs() {
    check_all!(i32, "abs(x)", |x| abs(x));
    check_all!(u32, "abs(x)", |x| abs(x));
    check_all!(i32, "sign(x)", |x| sign(x));
    check_all!(i32, "min(x, y)", |x, y| min(x, y));
    check_all!(u32, "min(x, y)", |x, y| min(x, y));
    check_all!(i32, "max(x, y)", |x, y| max(x, y));
    check_all!(u32, "max(x, y)", |x, y| max(x, y));
    check_all!(i32, "clamp(x, y, z)", |x, y, z| clamp(x, y, z));
    check_all!(u32, "clamp(x, y, z)", |x, y, z| clamp(x, y, z));
}

#[test]
fn bits() {
    check_all!(i32, "countOneBits(x)", |x| count_one_bits(x));
    check_all!(u32, "countOneBits(x)", |x| count_one_bits(x));
    check_all!(i32, "countLeadingZeros(x)", |x| count_leading_zeros(x));
    check_all!(u32, "countLeadingZeros(x)", |x| count_leading_zeros(x));
    check_all!(i32, "countTrailingZeros(x)", |x| count_trailing_zeros(x));
    check_all!(u32, "countTrailingZeros(x)", |x| count_trailing_zeros(x));
    check_all!(i32, "reverseBits(x)", |x| reverse_bits(x));
    check_all!(u32, "reverseBits(x)", |x| reverse_bits(x));
    check_all!(i32, "firstTrailingBit(x)", |x| first_trailing_bit(x));
    check_all!(u32, "firstTrailingBit(x)", |x| first_trailing_bit(x));
    check_all!(i32, "firstLeadingBit(x)", |x| first_leading_bit(x));
    check_all!(u32, "firstLeadingBit(x)", |x| first_leading_bit(x));
}

#[test]
fn bit_fields() {
    check!("extractBits(x, y, z)", |x: i32, y: u32, z: u32| -> i32 {
        extract_bits(x, y, z)
    });
    check!("extractBits(x, y, z)", |x: u32, y: u32, z: u32| -> u32 {
        extract_bits(x, y, z)
    });
    check!("extractBits(x, y, z)", |x: Vec3i,
                                    y: u32,
                                    z: u32|
     -> Vec3i {
        extract_bits(x, y, z)
    });
    check!("extractBits(x, y, z)", |x: Vec4u,
                                    y: u32,
                                    z: u32|
     -> Vec4u {
        extract_bits(x, y, z)
    });
    check!("insertBits(x, n, y, z)", |x: i32,
                                      n: i32,
                                      y: u32,
                                      z: u32|
     -> i32 {
        insert_bits(x, n, y, z)
    });
    check!("insertBits(x, n, y, z)", |x: Vec2u,
                                      n: Vec2u,
                                      y: u32,
                                      z: u32|
     -> Vec2u {
        insert_bits(x, n, y, z)
    });
}

#[test]
fn operators() {
    check_all!(i32, "x + y", |x, y| add(x, y));
    check_all!(u32, "x + y", |x, y| add(x, y));
    check_all!(i32, "x - y", |x, y| subtract(x, y));
    check_all!(u32, "x - y", |x, y| subtract(x, y));
    check_all!(i32, "x * y", |x, y| multiply(x, y));
    check_all!(u32, "x * y", |x, y| multiply(x, y));
    check_all!(i32, "x / y", |x, y| divide(x, y));
    check_all!(u32, "x / y", |x, y| divide(x, y));
    check_all!(i32, "x % y", |x, y| remainder(x, y));
    check_all!(u32, "x % y", |x, y| remainder(x, y));
    check_all!(i32, "-x", |x| negate(x));
    // A shift by 32 and more is an error in WGSL only where the count is known beforehand.
    check!("x << y", |x: i32, y: u32| -> i32 { shift_left(x, y) });
    check!("x << y", |x: Vec3u, y: Vec3u| -> Vec3u { shift_left(x, y) });
    check!("x >> y", |x: i32, y: u32| -> i32 { shift_right(x, y) });
    check!("x >> y", |x: Vec3u, y: Vec3u| -> Vec3u {
        shift_right(x, y)
    });
}
