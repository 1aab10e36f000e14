//! Comma-separated numbers as bytes: `f32:1,2.5`, `u32:0..64`, or of several types, `u32:3,f32:1.5,2`.
//!
//! A type applies to the numbers after it, up to the next type. Numbers are packed without padding.

use std::fmt;

use half::f16;

use super::SpecError;
use anywarp::reflection::{ElementType, ElementValue};

/// At least one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// The type of the first number.
    pub(crate) element: ElementType,
    /// The numbers in order, little-endian.
    pub(crate) bytes: Vec<u8>,
    /// The types, each with the number of elements that it applies to.
    runs: Vec<(ElementType, usize)>,
}

/// The most bytes of a list: a range could generate any number of them.
const MAX_BYTES: u64 = 256 << 20;

impl Numbers {
    /// Parses the list after the first type; `whole` is the text that messages show.
    pub(super) fn parse(whole: &str, element: ElementType, list: &str) -> Result<Self, SpecError> {
        if list.trim().is_empty() {
            return Err(SpecError::Empty(whole.to_owned()));
        }
        let mut numbers = Self {
            element,
            bytes: Vec::new(),
            runs: vec![(element, 0)],
        };
        for item in list.split(',').map(str::trim) {
            let typed = item.split_once(':');
            let typed = typed.and_then(|(name, item)| Some((ElementType::named(name)?, item)));
            match typed {
                Some((element, item)) => numbers.add(element, item.trim())?,
                None => numbers.add(numbers.last_type(), item)?,
            }
        }
        Ok(numbers)
    }

    /// Parses one number.
    pub(super) fn one(element: ElementType, text: &str) -> Result<Self, SpecError> {
        let bytes = element.parse(text);
        Ok(Self {
            element,
            bytes: bytes.ok_or_else(|| not_a_number(text, element.name()))?,
            runs: vec![(element, 1)],
        })
    }

    fn last_type(&self) -> ElementType {
        self.runs
            .last()
            .map_or(self.element, |(element, _)| *element)
    }

    fn add(&mut self, element: ElementType, item: &str) -> Result<(), SpecError> {
        let before = self.bytes.len();
        match item.split_once("..") {
            Some((start, end)) => self.add_range(element, item, start, end)?,
            None => {
                let number = element.parse(item);
                let number = number.ok_or_else(|| not_a_number(item, element.name()))?;
                self.bytes.extend(number);
            }
        }
        let count = (self.bytes.len() - before) / element.bytes() as usize;
        match self.runs.last_mut() {
            Some((last, numbers)) if *last == element => *numbers += count,
            _ => self.runs.push((element, count)),
        }
        Ok(())
    }

    /// `START..END` excludes its end, `START..=END` includes it.
    fn add_range(
        &mut self,
        element: ElementType,
        item: &str,
        start: &str,
        end: &str,
    ) -> Result<(), SpecError> {
        let wrong = || SpecError::Range(item.to_owned(), element.name());
        let (end, more) = match end.strip_prefix('=') {
            Some(end) => (end, 1),
            None => (end, 0),
        };
        let bound = |text: &str| text.trim().parse::<i64>().ok().map(i128::from);
        let start = bound(start).ok_or_else(wrong)?;
        let end = bound(end).ok_or_else(wrong)? + more;
        let (least, most) = whole_numbers(element);
        if start >= end || start < least || end - 1 > most {
            return Err(wrong());
        }
        let bytes = (end - start) * i128::from(element.bytes()) + self.bytes.len() as i128;
        if bytes > i128::from(MAX_BYTES) {
            return Err(SpecError::LongList(item.to_owned(), MAX_BYTES));
        }
        let numbers = (start..end).flat_map(|number| whole(element, number).to_bytes());
        self.bytes.extend(numbers);
        Ok(())
    }
}

/// The range of integers that a type represents without gaps.
fn whole_numbers(element: ElementType) -> (i128, i128) {
    match element {
        ElementType::F16 => (-(1 << 11), 1 << 11),
        ElementType::F32 => (-(1 << 24), 1 << 24),
        ElementType::F64 => (-(1 << 53), 1 << 53),
        ElementType::I16 => (i16::MIN.into(), i16::MAX.into()),
        ElementType::I32 => (i32::MIN.into(), i32::MAX.into()),
        ElementType::I64 => (i64::MIN.into(), i64::MAX.into()),
        ElementType::U16 => (0, u16::MAX.into()),
        ElementType::U32 => (0, u32::MAX.into()),
        ElementType::U64 => (0, u64::MAX.into()),
    }
}

/// An integer within the range of the type.
fn whole(element: ElementType, number: i128) -> ElementValue {
    match element {
        ElementType::F16 => ElementValue::F16(f16::from_f64(number as f64)),
        ElementType::F32 => ElementValue::F32(number as f32),
        ElementType::F64 => ElementValue::F64(number as f64),
        ElementType::I16 => ElementValue::I16(number as i16),
        ElementType::I32 => ElementValue::I32(number as i32),
        ElementType::I64 => ElementValue::I64(number as i64),
        ElementType::U16 => ElementValue::U16(number as u16),
        ElementType::U32 => ElementValue::U32(number as u32),
        ElementType::U64 => ElementValue::U64(number as u64),
    }
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.bytes.as_slice();
        let mut comma = "";
        for (element, count) in &self.runs {
            let (own, after) = rest.split_at(count * element.bytes() as usize);
            let mut prefix = format!("{comma}{element}:");
            for value in element.values(own) {
                write!(f, "{prefix}{value}")?;
                prefix = ",".to_owned();
            }
            (rest, comma) = (after, ",");
        }
        Ok(())
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

    /// Numbers of one type, without NaN, which is not equal to itself.
    fn run() -> impl Strategy<Value = (ElementType, Vec<u8>)> {
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
            (element, bytes)
        })
    }

    pub(in crate::specs) fn numbers() -> impl Strategy<Value = Numbers> {
        proptest::collection::vec(run(), 1..4).prop_map(|mut runs| {
            runs.dedup_by_key(|(element, _)| *element);
            Numbers {
                element: runs[0].0,
                bytes: runs.iter().flat_map(|(_, bytes)| bytes.clone()).collect(),
                runs: runs
                    .iter()
                    .map(|(element, bytes)| (*element, bytes.len() / element.bytes() as usize))
                    .collect(),
            }
        })
    }

    fn bytes(element: ElementType, list: &str) -> Vec<u8> {
        Numbers::parse("", element, list).unwrap().bytes
    }

    #[test]
    fn spaces_hexadecimal_and_special_floats() {
        assert_eq!(bytes(ElementType::U16, "1, 0xff"), [1, 0, 255, 0]);
        assert_eq!(bytes(ElementType::I32, "-1,0xffffffff"), [255; 8]);
        let floats = [f32::INFINITY, f32::NEG_INFINITY, 1e-3];
        assert_eq!(
            bytes(ElementType::F32, "inf,-inf,1e-3"),
            bytemuck::cast_slice::<_, u8>(&floats)
        );
        assert_eq!(bytes(ElementType::F16, "1,-2"), [0, 0x3c, 0, 0xc0]);
    }

    #[test]
    fn types_change_in_the_list() {
        let numbers = Numbers::parse("", ElementType::U32, "3,f32:1.5,2, u16:7").unwrap();
        assert_eq!(numbers.to_string(), "u32:3,f32:1.5,2,u16:7");
        let expected = [
            &3_u32.to_le_bytes()[..],
            &1.5_f32.to_le_bytes(),
            &2_f32.to_le_bytes(),
            &7_u16.to_le_bytes(),
        ];
        assert_eq!(numbers.bytes, expected.concat());
    }

    #[test]
    fn ranges_are_counted_out() {
        assert_eq!(bytes(ElementType::U16, "0..3,9"), [0, 0, 1, 0, 2, 0, 9, 0]);
        assert_eq!(bytes(ElementType::I16, "-1..=0"), [255, 255, 0, 0]);
        assert_eq!(bytes(ElementType::F16, "1..2"), [0, 0x3c]);
        let message = |element, list| {
            let error = Numbers::parse("", element, list).unwrap_err();
            error.to_string()
        };
        for (element, list) in [
            (ElementType::U32, "3..3"),
            (ElementType::U32, "-1..3"),
            (ElementType::U16, "0..65537"),
            (ElementType::F16, "0..3000"),
            (ElementType::I64, "0..9223372036854775808"),
            (ElementType::U32, "..3"),
            (ElementType::U32, "1..x"),
        ] {
            let message = message(element, list);
            assert!(message.contains("is not a range of"), "{message}");
        }
        let long = message(ElementType::U64, "0..9223372036854775807");
        assert!(long.contains("268435456 bytes"), "{long}");
    }
}
