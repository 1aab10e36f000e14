//! Records on the host: as Rust types, and as named values of a type known at run time.
//!
//! In: a Rust struct that derives [`Record`], or a [`RecordType`](crate::model::RecordType). Out: its
//! declaration for a graph, and records from and to bytes. What always holds: the layout of a struct
//! that derives [`Record`] is that of the graph, which is checked when the struct is compiled.

#[cfg(feature = "derive")]
mod typed;
mod value;

#[cfg(feature = "derive")]
pub use typed::{FieldDeclaration, Record, RecordField, offset_of_field, size_of_fields};
pub use value::{EncodeError, FieldValue, FieldValueError, RecordValue};
