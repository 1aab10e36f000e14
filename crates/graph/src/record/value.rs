//! Records as typed values, on the host.
//!
//! Encodes named values to the bytes of a record, and decodes bytes to values. A value has one
//! number for each component of each element, in order.

use std::fmt;

use crate::model::{Field, FieldType, RecordType, Scalar};

/// The numbers of a field, in the type of its scalar.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FieldValue {
    /// A `u32` or `u16` field.
    U32(Vec<u32>),
    /// An `i32` field.
    I32(Vec<i32>),
    /// An `f32` field.
    F32(Vec<f32>),
}

/// A decoded record: its fields in order.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RecordValue {
    /// Field names and their values.
    pub fields: Vec<(String, FieldValue)>,
}

impl RecordValue {
    /// Decodes a record; missing bytes are zero.
    pub fn decode(ty: &RecordType, bytes: &[u8]) -> Self {
        let fields = ty.fields().iter().map(|field| {
            let value = decode_field(field, bytes);
            (field.name.clone(), value)
        });
        Self {
            fields: fields.collect(),
        }
    }

    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&FieldValue> {
        let found = self.fields.iter().find(|(field, _)| field == name);
        found.map(|(_, value)| value)
    }

    /// Encodes a record of a type. Fields that are not given are zero.
    pub fn encode(&self, ty: &RecordType) -> Result<Vec<u8>, EncodeError> {
        let mut bytes = vec![0; ty.bytes() as usize];
        for (name, value) in &self.fields {
            let mut fields = ty.fields().iter();
            let Some(field) = fields.find(|field| field.name == *name) else {
                return Err(EncodeError::UnknownField {
                    record: ty.name().to_owned(),
                    field: name.clone(),
                });
            };
            encode_field(field, value, &mut bytes).map_err(|problem| EncodeError::Field {
                record: ty.name().to_owned(),
                field: name.clone(),
                problem,
            })?;
        }
        Ok(bytes)
    }
}

/// Why a record cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The type does not have the field.
    #[error("`{record}` has no field `{field}`")]
    UnknownField {
        /// The record type.
        record: String,
        /// The field.
        field: String,
    },
    /// The value does not fit the field.
    #[error("field `{field}` of `{record}`")]
    Field {
        /// The record type.
        record: String,
        /// The field.
        field: String,
        /// Why it does not fit.
        #[source]
        problem: FieldValueError,
    },
}

/// Why a value does not fit a field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldValueError {
    /// A number of a `u16` field has more than 16 bits.
    #[error("{0} is above 65535")]
    TooLarge(u32),
    /// The numbers are of another scalar type than the field.
    #[error("the numbers must be {0}")]
    Scalar(&'static str),
    /// The field has another number of numbers.
    #[error("{found} numbers for {ty}")]
    Count {
        /// The number of numbers that were given.
        found: usize,
        /// The type of the field.
        ty: FieldType,
    },
}

fn numbers(field: &Field) -> usize {
    field.ty.components as usize * field.ty.elements.unwrap_or(1) as usize
}

fn decode_field(field: &Field, bytes: &[u8]) -> FieldValue {
    let size = field.ty.scalar.bytes() as usize;
    let word = |index: usize| {
        let mut word = [0; 4];
        let start = field.offset as usize + index * size;
        if let Some(found) = bytes.get(start..start + size) {
            word[..size].copy_from_slice(found);
        }
        u32::from_le_bytes(word)
    };
    let words = (0..numbers(field)).map(word);
    match field.ty.scalar {
        Scalar::U32 | Scalar::U16 => FieldValue::U32(words.collect()),
        Scalar::I32 => FieldValue::I32(words.map(u32::cast_signed).collect()),
        Scalar::F32 => FieldValue::F32(words.map(f32::from_bits).collect()),
    }
}

fn encode_field(
    field: &Field,
    value: &FieldValue,
    bytes: &mut [u8],
) -> Result<(), FieldValueError> {
    let words: Vec<u32> = match (field.ty.scalar, value) {
        (Scalar::U32, FieldValue::U32(words)) => words.clone(),
        (Scalar::I32, FieldValue::I32(words)) => {
            words.iter().map(|word| word.cast_unsigned()).collect()
        }
        (Scalar::F32, FieldValue::F32(words)) => words.iter().map(|word| word.to_bits()).collect(),
        (Scalar::U16, FieldValue::U32(words)) => match words.iter().find(|word| **word > 0xffff) {
            Some(word) => return Err(FieldValueError::TooLarge(*word)),
            None => words.clone(),
        },
        (scalar, _) => return Err(FieldValueError::Scalar(scalar.name())),
    };
    if words.len() != numbers(field) {
        return Err(FieldValueError::Count {
            found: words.len(),
            ty: field.ty,
        });
    }
    let size = field.ty.scalar.bytes() as usize;
    for (index, word) in words.iter().enumerate() {
        let start = field.offset as usize + index * size;
        bytes[start..start + size].copy_from_slice(&word.to_le_bytes()[..size]);
    }
    Ok(())
}

impl fmt::Display for RecordValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (index, (name, value)) in self.fields.iter().enumerate() {
            let comma = if index == 0 { " " } else { ", " };
            write!(f, "{comma}{name}: {value}")?;
        }
        f.write_str(" }")
    }
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, numbers: &[T]) -> fmt::Result {
            if let [number] = numbers {
                return number.fmt(f);
            }
            let numbers: Vec<_> = numbers.iter().map(T::to_string).collect();
            write!(f, "({})", numbers.join(", "))
        }
        match self {
            Self::U32(numbers) => list(f, numbers),
            Self::I32(numbers) => list(f, numbers),
            Self::F32(numbers) => list(f, numbers),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;

    fn ty() -> RecordType {
        RecordType::new("R")
            .field("a", FieldType::U16)
            .field("b", FieldType::of(Scalar::F32, 2))
            .field("c", FieldType::of(Scalar::U16, 2).array(2))
            .field("d", FieldType::I32)
    }

    #[test]
    fn what_is_written_is_read() {
        let record = RecordValue {
            fields: vec![
                ("a".to_owned(), FieldValue::U32(vec![65535])),
                ("b".to_owned(), FieldValue::F32(vec![0.5, -1.0])),
                ("c".to_owned(), FieldValue::U32(vec![1, 2, 3, 4])),
                ("d".to_owned(), FieldValue::I32(vec![-7])),
            ],
        };
        let bytes = record.encode(&ty()).unwrap();
        assert_eq!(bytes.len(), 24);
        assert_eq!(RecordValue::decode(&ty(), &bytes), record);
        assert_eq!(
            record.to_string(),
            "{ a: 65535, b: (0.5, -1), c: (1, 2, 3, 4), d: -7 }"
        );
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let refused = |name: &str, value| {
            let fields = vec![(name.to_owned(), value)];
            let error = RecordValue { fields }.encode(&ty()).unwrap_err();
            match error.source() {
                Some(problem) => format!("{error}: {problem}"),
                None => error.to_string(),
            }
        };
        assert_eq!(
            refused("e", FieldValue::U32(vec![1])),
            "`R` has no field `e`"
        );
        assert_eq!(
            refused("a", FieldValue::U32(vec![65536])),
            "field `a` of `R`: 65536 is above 65535"
        );
        assert_eq!(
            refused("a", FieldValue::I32(vec![1])),
            "field `a` of `R`: the numbers must be u16"
        );
        assert_eq!(
            refused("b", FieldValue::F32(vec![1.0])),
            "field `b` of `R`: 1 numbers for vec2<f32>"
        );
    }
}
