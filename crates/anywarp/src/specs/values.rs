//! Comma-separated numbers of one type, as bytes.

use std::fmt;

use super::SpecError;
use super::element::ElementType;

/// At least one number, as `f32:1,2.5` writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) element: ElementType,
    /// The numbers one behind the other, little-endian.
    pub(crate) bytes: Vec<u8>,
}

impl Numbers {
    /// Reads the list behind the type; `whole` is what a message shows.
    pub(super) fn parse(whole: &str, element: ElementType, list: &str) -> Result<Self, SpecError> {
        if list.trim().is_empty() {
            return Err(SpecError::Empty(whole.to_owned()));
        }
        let mut bytes = Vec::new();
        for item in list.split(',').map(str::trim) {
            let number = element.parse(item);
            bytes.extend(number.ok_or_else(|| not_a_number(item, element.name()))?);
        }
        Ok(Self { element, bytes })
    }
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<_> = self.element.values(&self.bytes).collect();
        let values: Vec<_> = values.iter().map(ToString::to_string).collect();
        write!(f, "{}:{}", self.element, values.join(","))
    }
}

pub(super) fn number(text: &str, type_name: &'static str) -> Result<u64, SpecError> {
    text.parse().map_err(|_| not_a_number(text, type_name))
}

pub(super) fn not_a_number(text: &str, type_name: &'static str) -> SpecError {
    SpecError::Number {
        text: text.to_owned(),
        type_name,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    /// Any numbers but NaN, which is not equal to itself.
    pub(in crate::specs) fn numbers() -> impl Strategy<Value = Numbers> {
        let bits = proptest::collection::vec(any::<u64>(), 1..20);
        (select(ElementType::ALL.to_vec()), bits).prop_map(|(element, bits)| {
            let width = element.bytes() as usize;
            let chunks = bits.iter().map(|bits| bits.to_le_bytes()[..width].to_vec());
            let is_number = |chunk: &Vec<u8>| {
                let mut values = element.values(chunk);
                values.all(|value| !value.to_f64().is_nan())
            };
            let mut bytes: Vec<u8> = chunks.filter(is_number).flatten().collect();
            if bytes.is_empty() {
                bytes = vec![0; width];
            }
            Numbers { element, bytes }
        })
    }

    #[test]
    fn spaces_hexadecimal_and_special_floats() {
        let bytes = |element: ElementType, list| Numbers::parse("", element, list).unwrap().bytes;
        assert_eq!(bytes(ElementType::U16, "1, 0xff"), [1, 0, 255, 0]);
        assert_eq!(bytes(ElementType::I32, "-1,0xffffffff"), [255; 8]);
        let floats = [f32::INFINITY, f32::NEG_INFINITY, 1e-3];
        assert_eq!(
            bytes(ElementType::F32, "inf,-inf,1e-3"),
            bytemuck::cast_slice::<_, u8>(&floats)
        );
        assert_eq!(bytes(ElementType::F16, "1,-2"), [0, 0x3c, 0, 0xc0]);
    }
}
