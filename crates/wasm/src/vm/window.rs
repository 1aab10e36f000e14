//! Register windows: the slots of the current frame, and results that are held in processor
//! registers in addition.
//!
//! An operand is a byte, and the widest access spans four slots: so all accesses are inside a
//! window of 260 slots, and none needs a bounds check.

/// Slots of a window.
pub(super) const WINDOW: usize = 256 + 4;

/// The slots that operands of the current frame can name.
pub(super) type Window = [u32; WINDOW];

/// The latest results, passed from handler to handler in processor registers (stack caching). A
/// result is always written to its slot too, but reading it back would wait for the store.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StackCache {
    /// The latest integer of either width; a narrow one is zero-extended.
    pub(super) integer: u64,
    pub(super) single: f32,
    pub(super) double: f64,
}

impl StackCache {
    #[inline(always)]
    pub(super) fn new(integer: u64, single: f32, double: f64) -> Self {
        Self {
            integer,
            single,
            double,
        }
    }
}

/// The register class and width of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// A 32-bit integer.
    Word,
    /// A 64-bit integer.
    Wide,
    Single,
    Double,
}

impl ValueKind {
    /// Slots of a value.
    pub(super) fn width(self) -> u16 {
        match self {
            Self::Word | Self::Single => 1,
            Self::Wide | Self::Double => 2,
        }
    }
}

/// A type that can be read from slots and written to them.
pub(super) trait Slot: Copy {
    const KIND: ValueKind;
    /// The canonical NaN, for floats.
    const NAN: Option<Self>;
    fn get(window: &Window, slot: u8) -> Self;
    fn set(window: &mut Window, slot: u8, value: Self);
    /// An immediate of one word, sign-extended if the type is wider.
    fn constant(word: u32) -> Self;
    /// An immediate of one word, or of two if the type is wider.
    fn whole_constant(low: u32, high: impl FnOnce() -> Option<u32>) -> Option<Self>;
    fn from_cache(cache: StackCache) -> Self;
    fn into_cache(self, cache: StackCache) -> StackCache;
    fn is_nan(self) -> bool;
}

impl Slot for u32 {
    const KIND: ValueKind = ValueKind::Word;
    const NAN: Option<Self> = None;

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

    #[inline(always)]
    fn whole_constant(low: u32, _: impl FnOnce() -> Option<u32>) -> Option<Self> {
        Some(low)
    }

    #[inline(always)]
    fn from_cache(cache: StackCache) -> Self {
        cache.integer as Self
    }

    #[inline(always)]
    fn into_cache(self, cache: StackCache) -> StackCache {
        let integer = u64::from(self);
        StackCache { integer, ..cache }
    }

    #[inline(always)]
    fn is_nan(self) -> bool {
        false
    }
}

impl Slot for u64 {
    const KIND: ValueKind = ValueKind::Wide;
    const NAN: Option<Self> = None;

    #[inline(always)]
    fn get(window: &Window, slot: u8) -> Self {
        let slot = usize::from(slot);
        let pair = [window[slot], window[slot + 1]];
        Self::from(pair[0]) | Self::from(pair[1]) << 32
    }

    /// One store if the byte order allows it: reading both words at once would have to wait for two
    /// stores.
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

    #[inline(always)]
    fn whole_constant(low: u32, high: impl FnOnce() -> Option<u32>) -> Option<Self> {
        Some(Self::from(low) | Self::from(high()?) << 32)
    }

    #[inline(always)]
    fn from_cache(cache: StackCache) -> Self {
        cache.integer
    }

    #[inline(always)]
    fn into_cache(self, cache: StackCache) -> StackCache {
        let integer = self;
        StackCache { integer, ..cache }
    }

    #[inline(always)]
    fn is_nan(self) -> bool {
        false
    }
}

/// A type with the same representation as another.
macro_rules! as_bits {
    ($($ty:ident as $bits:ident: $from:expr, $to:expr;)*) => {$(
        impl Slot for $ty {
            const KIND: ValueKind = $bits::KIND;
            const NAN: Option<Self> = None;

            as_bits! { @ways $ty $bits $from, $to }

            #[inline(always)]
            fn from_cache(cache: StackCache) -> Self {
                $from($bits::from_cache(cache))
            }

            #[inline(always)]
            fn into_cache(self, cache: StackCache) -> StackCache {
                $to(self).into_cache(cache)
            }

            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }
        }
    )*};
    (@ways $ty:ident $bits:ident $from:expr, $to:expr) => {
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

        #[inline(always)]
        fn whole_constant(low: u32, high: impl FnOnce() -> Option<u32>) -> Option<Self> {
            $bits::whole_constant(low, high).map($from)
        }
    };
}

as_bits! {
    i32 as u32: |bits| bits as i32, |value| value as u32;
    i64 as u64: |bits| bits as i64, |value| value as u64;
    bool as u32: |bits| bits != 0, u32::from;
}

/// Floats are held in registers of their own.
macro_rules! floats {
    ($($ty:ident as $bits:ident: $kind:ident $nan:literal $register:ident;)*) => {$(
        impl Slot for $ty {
            const KIND: ValueKind = ValueKind::$kind;
            const NAN: Option<Self> = Some($ty::from_bits($nan));

            as_bits! { @ways $ty $bits $ty::from_bits, $ty::to_bits }

            #[inline(always)]
            fn from_cache(cache: StackCache) -> Self {
                cache.$register
            }

            #[inline(always)]
            fn into_cache(self, cache: StackCache) -> StackCache {
                let $register = self;
                StackCache { $register, ..cache }
            }

            #[inline(always)]
            fn is_nan(self) -> bool {
                self.is_nan()
            }
        }
    )*};
}

floats! {
    f32 as u32: Single 0x7fc0_0000 single;
    f64 as u64: Double 0x7ff8_0000_0000_0000 double;
}
