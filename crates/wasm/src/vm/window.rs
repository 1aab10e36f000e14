//! The slots of a frame, as instructions see them.
//!
//! An operand is a byte, and the widest one reaches three slots further: so a window of 260 slots is
//! never left, and no access needs a check.

/// Slots of a window.
pub(super) const WINDOW: usize = 256 + 4;

/// The slots that operands of the current frame can name.
pub(super) type Window = [u32; WINDOW];

/// What can be read from slots and written to them.
pub(super) trait Slot: Copy {
    fn get(window: &Window, slot: u8) -> Self;
    fn set(window: &mut Window, slot: u8, value: Self);
    /// A constant operand, sign-extended where the type is wider.
    fn constant(word: u32) -> Self;
}

impl Slot for u32 {
    #[inline(always)]
    fn get(window: &Window, slot: u8) -> Self {
        window[usize::from(slot)]
    }

    #[inline(always)]
    fn set(window: &mut Window, slot: u8, value: Self) {
        window[usize::from(slot)] = value;
    }

    #[inline(always)]
    fn constant(word: u32) -> Self {
        word
    }
}

impl Slot for u64 {
    #[inline(always)]
    fn get(window: &Window, slot: u8) -> Self {
        let slot = usize::from(slot);
        let pair = [window[slot], window[slot + 1]];
        Self::from(pair[0]) | Self::from(pair[1]) << 32
    }

    /// At once where the order of bytes allows it: a computer that reads both words together would
    /// have to wait for two writes.
    #[inline(always)]
    fn set(window: &mut Window, slot: u8, value: Self) {
        let slot = usize::from(slot);
        let pair = [value as u32, (value >> 32) as u32];
        if let Some(slots) = window[slot..].first_chunk_mut::<2>() {
            if cfg!(target_endian = "little") {
                *bytemuck::cast_mut::<[u32; 2], [u8; 8]>(slots) = value.to_le_bytes();
            } else {
                *slots = pair;
            }
        }
    }

    #[inline(always)]
    fn constant(word: u32) -> Self {
        i64::from(word as i32) as Self
    }
}

/// A type that travels as the bits of another.
macro_rules! as_bits {
    ($($ty:ident as $bits:ident: $from:expr, $to:expr;)*) => {$(
        impl Slot for $ty {
            #[inline(always)]
            fn get(window: &Window, slot: u8) -> Self {
                $from($bits::get(window, slot))
            }

            #[inline(always)]
            fn set(window: &mut Window, slot: u8, value: Self) {
                $bits::set(window, slot, $to(value));
            }

            #[inline(always)]
            fn constant(word: u32) -> Self {
                $from($bits::constant(word))
            }
        }
    )*};
}

as_bits! {
    i32 as u32: |bits| bits as i32, |value| value as u32;
    i64 as u64: |bits| bits as i64, |value| value as u64;
    f32 as u32: f32::from_bits, f32::to_bits;
    f64 as u64: f64::from_bits, f64::to_bits;
    bool as u32: |bits| bits != 0, u32::from;
}
