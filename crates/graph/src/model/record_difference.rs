//! Compares two declarations of a record type.
//!
//! In: the expected declaration and another one. Out: their first [`RecordDifference`], field by
//! field in order. Names of types do not matter; names, types and order of fields do, and which
//! field is the grid.

use super::record_type::{FieldType, RecordType};

/// The first difference between two declarations of a record type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordDifference {
    /// A field has another type.
    #[error("field `{field}`: expected {expected}, found {found}")]
    FieldType {
        /// The field.
        field: String,
        /// The expected type.
        expected: FieldType,
        /// The type that was found.
        found: FieldType,
    },
    /// A field has another name.
    #[error("field {index}: expected `{expected}`, found `{found}`")]
    FieldName {
        /// The index of the field, from zero.
        index: usize,
        /// The expected name.
        expected: String,
        /// The name that was found.
        found: String,
    },
    /// There are too few fields.
    #[error("field `{field}`: expected {expected}, found no such field")]
    MissingField {
        /// The first missing field.
        field: String,
        /// Its type.
        expected: FieldType,
    },
    /// There are too many fields.
    #[error("field `{field}`: expected no further field, found {found}")]
    ExtraField {
        /// The first field too many.
        field: String,
        /// Its type.
        found: FieldType,
    },
    /// Another field has the dispatch grid.
    #[error("grid field: expected {}, found {}", name(.expected), name(.found))]
    Grid {
        /// The expected grid field, if any.
        expected: Option<String>,
        /// The grid field that was found, if any.
        found: Option<String>,
    },
}

fn name(field: &Option<String>) -> String {
    match field {
        Some(field) => format!("`{field}`"),
        None => "none".to_owned(),
    }
}

impl RecordType {
    /// The first difference of another declaration from this one; `None` if records of both have
    /// the same fields in the same layout.
    pub fn difference(&self, other: &Self) -> Option<RecordDifference> {
        for (index, expected) in self.fields().iter().enumerate() {
            let Some(found) = other.fields().get(index) else {
                return Some(RecordDifference::MissingField {
                    field: expected.name.clone(),
                    expected: expected.ty,
                });
            };
            if expected.name != found.name {
                return Some(RecordDifference::FieldName {
                    index,
                    expected: expected.name.clone(),
                    found: found.name.clone(),
                });
            }
            if expected.ty != found.ty {
                return Some(RecordDifference::FieldType {
                    field: expected.name.clone(),
                    expected: expected.ty,
                    found: found.ty,
                });
            }
        }
        if let Some(extra) = other.fields().get(self.fields().len()) {
            return Some(RecordDifference::ExtraField {
                field: extra.name.clone(),
                found: extra.ty,
            });
        }
        let grid = |record: &Self| record.grid_field().map(|field| field.name.clone());
        let (expected, found) = (grid(self), grid(other));
        (expected != found).then_some(RecordDifference::Grid { expected, found })
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{FieldType, RecordType, Scalar};

    fn expected() -> RecordType {
        RecordType::new("R")
            .field("id", FieldType::U32)
            .grid("grid", FieldType::of(Scalar::U16, 2))
    }

    #[test]
    fn the_first_difference_names_the_field_and_both_sides() {
        let id = |ty| RecordType::new("other").field("id", ty);
        let grid = FieldType::of(Scalar::U16, 2);
        let cases = [
            (id(FieldType::U32).grid("grid", grid), None),
            (
                id(FieldType::F32).grid("grid", grid),
                Some("field `id`: expected u32, found f32"),
            ),
            (
                id(FieldType::U32).grid("size", grid),
                Some("field 1: expected `grid`, found `size`"),
            ),
            (
                id(FieldType::U32),
                Some("field `grid`: expected vec2<u16>, found no such field"),
            ),
            (
                id(FieldType::U32)
                    .grid("grid", grid)
                    .field("more", FieldType::I32),
                Some("field `more`: expected no further field, found i32"),
            ),
            (
                id(FieldType::U32).field("grid", grid),
                Some("grid field: expected `grid`, found none"),
            ),
        ];
        for (other, message) in cases {
            let difference = expected().difference(&other);
            assert_eq!(
                difference.map(|found| found.to_string()).as_deref(),
                message
            );
        }
    }
}
