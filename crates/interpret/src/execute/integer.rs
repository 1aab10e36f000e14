//! Integer operations with WGSL's edge cases.

/// `x` for a zero divisor; wraps for `MIN / -1`.
pub(super) fn divide_signed(x: i32, y: i32) -> i32 {
    if y == 0 { x } else { x.wrapping_div(y) }
}

/// Zero for a zero divisor and for `MIN % -1`.
pub(super) fn remainder_signed(x: i32, y: i32) -> i32 {
    if y == 0 { 0 } else { x.wrapping_rem(y) }
}

/// Index of the lowest set bit; all ones for zero.
pub(super) fn first_trailing_bit(x: u32) -> u32 {
    if x == 0 { u32::MAX } else { x.trailing_zeros() }
}

/// Index of the highest set bit; all ones for zero.
pub(super) fn first_leading_bit(x: u32) -> u32 {
    if x == 0 {
        u32::MAX
    } else {
        31 - x.leading_zeros()
    }
}

/// Index of the highest bit that differs from the sign; all ones for 0 and -1.
pub(super) fn first_leading_bit_signed(x: u32) -> u32 {
    first_leading_bit(if (x as i32) < 0 { !x } else { x })
}

/// Offset and count of a bit field, clamped to 32 bits.
fn clamp_field(offset: u32, count: u32) -> (u32, u32) {
    let offset = offset.min(32);
    (offset, count.min(32 - offset))
}

/// `count` bits from `offset` on, zero-extended.
pub(super) fn extract_bits(x: u32, offset: u32, count: u32) -> u32 {
    let (offset, count) = clamp_field(offset, count);
    if count == 0 {
        return 0;
    }
    (x >> offset) & (u32::MAX >> (32 - count))
}

/// `count` bits from `offset` on, sign-extended.
pub(super) fn extract_bits_signed(x: u32, offset: u32, count: u32) -> u32 {
    let (offset, count) = clamp_field(offset, count);
    if count == 0 {
        return 0;
    }
    (((x << (32 - count - offset)) as i32) >> (32 - count)) as u32
}

/// `x` with `count` bits from `offset` on replaced by the low bits of `new`.
pub(super) fn insert_bits(x: u32, new: u32, offset: u32, count: u32) -> u32 {
    let (offset, count) = clamp_field(offset, count);
    if count == 0 {
        return x;
    }
    let mask = (u32::MAX >> (32 - count)) << offset;
    (x & !mask) | ((new << offset) & mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_has_no_undefined_case() {
        assert_eq!(divide_signed(7, 0), 7);
        assert_eq!(divide_signed(i32::MIN, -1), i32::MIN);
        assert_eq!(remainder_signed(7, 0), 0);
        assert_eq!(remainder_signed(i32::MIN, -1), 0);
        assert_eq!(remainder_signed(-7, 3), -1);
    }

    #[test]
    fn bit_fields_at_their_edges() {
        assert_eq!(extract_bits(0xdead_beef, 0, 32), 0xdead_beef);
        assert_eq!(extract_bits(0xdead_beef, 32, 8), 0);
        assert_eq!(extract_bits(0xdead_beef, 28, 99), 0xd);
        assert_eq!(extract_bits_signed(0xdead_beef, 28, 4), 0xffff_fffd);
        assert_eq!(insert_bits(0, u32::MAX, 28, 99), 0xf000_0000);
        assert_eq!(insert_bits(7, u32::MAX, 40, 4), 7);
        assert_eq!(first_leading_bit_signed(u32::MAX), u32::MAX);
        assert_eq!(first_leading_bit_signed(0x8000_0000), 30);
    }
}
