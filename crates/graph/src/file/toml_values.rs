//! Converts TOML numbers to record bytes and words of local arguments.

use toml::Value;

use crate::model::{Field, Scalar};

/// Why a TOML value is not a value of a field or a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ValueError {
    /// A vector or an array needs a list with all its components or elements.
    #[error("is not a list of length {0}")]
    ListLength(u32),
    /// The value is not a number, or out of range.
    #[error("is not of type {0}")]
    Scalar(&'static str),
    /// Words without a type are numbers of 32 bits.
    #[error("is not a 32-bit number")]
    Word,
    /// The field is not within the bytes of the record.
    #[error("the record is too small")]
    RecordTooSmall,
}

/// Writes a field's value at its offset in a record.
pub(super) fn write_field(
    record: &mut [u8],
    field: &Field,
    value: &Value,
) -> Result<(), ValueError> {
    let mut at = field.offset as usize;
    let mut put = |value: &Value| -> Result<(), ValueError> {
        let bytes = scalar(value, field.ty.scalar)?;
        let place = record.get_mut(at..at + bytes.len());
        place
            .ok_or(ValueError::RecordTooSmall)?
            .copy_from_slice(&bytes);
        at += bytes.len();
        Ok(())
    };
    let mut element = |value: &Value| match field.ty.components {
        1 => put(value),
        components => list(value, components)?.iter().try_for_each(&mut put),
    };
    match field.ty.elements {
        None => element(value),
        Some(elements) => list(value, elements)?.iter().try_for_each(element),
    }
}

fn list(value: &Value, length: u32) -> Result<&[Value], ValueError> {
    let values = value.as_array().map(Vec::as_slice);
    values
        .filter(|values| values.len() == length as usize)
        .ok_or(ValueError::ListLength(length))
}

fn scalar(value: &Value, scalar: Scalar) -> Result<Vec<u8>, ValueError> {
    let wrong = ValueError::Scalar(scalar.name());
    let integer = value.as_integer();
    Ok(match scalar {
        Scalar::U32 => {
            let value = integer.and_then(|value| u32::try_from(value).ok());
            value.ok_or(wrong)?.to_le_bytes().to_vec()
        }
        Scalar::I32 => {
            let value = integer.and_then(|value| i32::try_from(value).ok());
            value.ok_or(wrong)?.to_le_bytes().to_vec()
        }
        Scalar::U16 => {
            let value = integer.and_then(|value| u16::try_from(value).ok());
            value.ok_or(wrong)?.to_le_bytes().to_vec()
        }
        Scalar::F32 => {
            let value = value.as_float().or(integer.map(|value| value as f64));
            (value.ok_or(wrong)? as f32).to_le_bytes().to_vec()
        }
    })
}

/// Encodes a word without a declared type: a number with a decimal point is an `f32`, one with a
/// sign an `i32`, any other a `u32`.
pub(super) fn word(value: &Value) -> Result<u32, ValueError> {
    match value {
        Value::Float(value) => Ok((*value as f32).to_bits()),
        Value::Integer(value) => u32::try_from(*value)
            .or(i32::try_from(*value).map(|value| value as u32))
            .map_err(|_| ValueError::Word),
        _ => Err(ValueError::Word),
    }
}
