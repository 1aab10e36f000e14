//! The types of values in a case, and their bits in the words of a buffer.
//!
//! Two values of 16 bits share a word, the first in its low half; one of 64 bits takes two words, the low one first.

/// The type of values in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `i16`.
    I16,
    /// `u16`.
    U16,
    /// `f16`.
    F16,
    /// `i32`.
    I32,
    /// `u32`.
    U32,
    /// `f32`.
    F32,
    /// `i64`.
    I64,
    /// `u64`.
    U64,
    /// `f64`.
    F64,
}

/// The kind of numbers of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Signed,
    Unsigned,
    Float,
}

const TABLE: [(&str, Scalar, Kind, u32); 9] = [
    ("i16", Scalar::I16, Kind::Signed, 16),
    ("u16", Scalar::U16, Kind::Unsigned, 16),
    ("f16", Scalar::F16, Kind::Float, 16),
    ("i32", Scalar::I32, Kind::Signed, 32),
    ("u32", Scalar::U32, Kind::Unsigned, 32),
    ("f32", Scalar::F32, Kind::Float, 32),
    ("i64", Scalar::I64, Kind::Signed, 64),
    ("u64", Scalar::U64, Kind::Unsigned, 64),
    ("f64", Scalar::F64, Kind::Float, 64),
];

impl Scalar {
    /// The type with this name.
    pub fn named(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    /// The width of a value in bits: 16, 32 or 64.
    pub fn width(self) -> u32 {
        TABLE[self as usize].3
    }

    pub(crate) fn kind(self) -> Kind {
        TABLE[self as usize].2
    }

    /// The quiet NaN with no payload.
    pub(crate) fn nan(self) -> u64 {
        match self.width() {
            16 => 0x7e00,
            32 => 0x7fc0_0000,
            _ => 0x7ff8 << 48,
        }
    }

    /// The bits of a real number, rounded to the nearest value of a float type.
    pub(crate) fn round(self, real: f64) -> u64 {
        match self.width() {
            16 => u64::from(f16_bits(real)),
            32 => u64::from((real as f32).to_bits()),
            _ => real.to_bits(),
        }
    }

    /// The number that the bits of a float represent.
    pub(crate) fn real(self, bits: u64) -> f64 {
        match self.width() {
            16 => f16_value(bits as u16),
            32 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        }
    }

    /// The bits of the value at bit `bit` of a buffer, which contains all of it.
    pub(crate) fn read(self, words: &[u32], bit: usize) -> u64 {
        let word = u64::from(words[bit / 32]);
        match self.width() {
            16 => (word >> (bit % 32)) & 0xffff,
            32 => word,
            _ => u64::from(words[bit / 32 + 1]) << 32 | word,
        }
    }

    /// Formats bits as a case would write them, floats with their bits.
    pub fn show(self, bits: u64) -> String {
        let digits = self.width() as usize / 4;
        match self.kind() {
            Kind::Signed => {
                let unused = 64 - self.width();
                ((bits << unused) as i64 >> unused).to_string()
            }
            Kind::Unsigned => format!("{bits} (0x{bits:x})"),
            Kind::Float if self == Self::F32 => {
                format!("{:?} (bits:{bits:08x})", f32::from_bits(bits as u32))
            }
            Kind::Float => format!("{:?} (bits:{bits:0digits$x})", self.real(bits)),
        }
    }
}

/// The nearest `f16`; ties go to the one with an even last bit.
fn f16_bits(real: f64) -> u16 {
    let sign = u16::from(real.is_sign_negative()) << 15;
    let magnitude = real.abs();
    if real.is_nan() {
        return 0x7e00;
    }
    // Halfway between the largest value and the power of two above it.
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    let mut exponent = -14;
    while magnitude >= 2f64.powi(exponent + 1) {
        exponent += 1;
    }
    // In units of the last place: a power of two, so the quotient is exact.
    let units = (magnitude / 2f64.powi(exponent - 10)).round_ties_even() as u16;
    sign | ((((exponent + 14) as u16) << 10) + units)
}

fn f16_value(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let fraction = f64::from(bits & 0x3ff);
    sign * match i32::from(bits >> 10 & 0x1f) {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::{Scalar, TABLE};

    #[test]
    fn the_table_is_in_the_order_of_the_types() {
        for (index, (name, scalar, _, _)) in TABLE.into_iter().enumerate() {
            assert_eq!(scalar as usize, index);
            assert_eq!(Scalar::named(name), Some(scalar));
        }
        assert_eq!(Scalar::named("f8"), None);
    }

    #[test]
    fn every_f16_comes_back() {
        for bits in 0..=0xffffu64 {
            let real = Scalar::F16.real(bits);
            if !real.is_nan() {
                assert_eq!(Scalar::F16.round(real), bits, "{real}");
            }
        }
    }

    #[test]
    fn ties_between_f16_values_go_to_the_even_one() {
        for bits in 0..0x7c00u64 {
            let (low, high) = (Scalar::F16.real(bits), Scalar::F16.real(bits + 1));
            let high = if bits == 0x7bff { 65536.0 } else { high };
            let halfway = (low + high) / 2.0;
            assert_eq!(Scalar::F16.round(halfway), bits + bits % 2);
            assert_eq!(Scalar::F16.round(halfway.next_down()), bits);
            assert_eq!(Scalar::F16.round(-halfway.next_up()), 0x8000 | (bits + 1));
        }
    }

    #[test]
    fn values_are_packed_into_words() {
        let words = [0xffff_8001, 0x1234_5678];
        assert_eq!(Scalar::I16.show(Scalar::I16.read(&words, 0)), "-32767");
        assert_eq!(Scalar::U16.read(&words, 16), 0xffff);
        assert_eq!(Scalar::U64.read(&words, 0), 0x1234_5678_ffff_8001);
        assert_eq!(Scalar::I32.read(&words, 32), 0x1234_5678);
    }
}
