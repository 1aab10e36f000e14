//! Records as Rust types.
//!
//! In: the fields of a struct, from `#[derive(Record)]`. Out: their declarations, and constant
//! functions with which the derived code compares Rust's layout with the graph's.

pub use anywarp_graph_macros::Record;

use crate::model::FieldType;

/// A Rust struct as a record of a graph.
///
/// Derive it for a `#[repr(C)]` struct that is [`bytemuck::Pod`]. The record has the name of the
/// struct and its fields:
///
/// | Rust | record |
/// |---|---|
/// | `u32`, `i32`, `f32`, `u16` | the same scalar |
/// | `[T; 2]`, `[T; 3]`, `[T; 4]` of a scalar | `vec2<T>`, `vec3<T>`, `vec4<T>` |
/// | a longer array of a scalar | `array<T, N>` |
/// | `[[T; M]; N]` | `array<vecM<T>, N>` |
///
/// Records are packed like C structs, so a `vec3<f32>` has 12 bytes and needs no padding, unlike in
/// a WGSL struct. The derive checks when the struct is compiled that every field is where the graph
/// places it, and that the size is a multiple of four bytes.
///
/// ```
/// use anywarp_graph::Record;
/// use bytemuck::{Pod, Zeroable};
///
/// #[derive(Clone, Copy, Pod, Zeroable, Record)]
/// #[repr(C)]
/// struct Tile {
///     #[record(grid)]
///     size: [u16; 2],
///     corner: [f32; 3],
///     #[record(array)]
///     seen: [u32; 4],
/// }
/// assert_eq!(Tile::NAME, "Tile");
/// assert_eq!(Tile::FIELDS[0].ty.to_string(), "vec2<u16>");
/// assert_eq!(Tile::FIELDS[2].ty.to_string(), "array<u32, 4>");
/// ```
///
/// Attributes of a field: `#[record(grid)]` makes it the grid field, `#[record(array)]` an array
/// instead of a vector, and `#[record(as = [f32; 3])]` declares a type of another crate as a Rust
/// type of the table with the same size. Attributes of the struct: `#[record(name = "Other")]`, and
/// `#[record(crate = path)]` for a crate that has this one under another path.
///
/// A field of a type that records do not have is a compile error at the field:
///
/// ```compile_fail
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable, anywarp_graph::Record)]
/// #[repr(C)]
/// struct Wrong {
///     time: u64,
/// }
/// ```
///
/// So is a field with a larger alignment than a record has, and a size that is not a multiple of four:
///
/// ```compile_fail
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable, anywarp_graph::Record)]
/// #[repr(C)]
/// struct Wrong {
///     half_a_word: u16,
/// }
/// ```
pub trait Record: bytemuck::Pod {
    /// The name of the record type.
    const NAME: &'static str;
    /// The fields in order.
    const FIELDS: &'static [FieldDeclaration];
}

/// The declaration of a field of a [`Record`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldDeclaration {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: FieldType,
    /// Whether it holds the grid of broadcasting nodes.
    pub is_grid: bool,
}

impl FieldDeclaration {
    /// An ordinary field.
    pub const fn new(name: &'static str, ty: FieldType) -> Self {
        Self {
            name,
            ty,
            is_grid: false,
        }
    }

    /// The field as the grid field.
    #[must_use]
    pub const fn grid(self) -> Self {
        Self {
            is_grid: true,
            ..self
        }
    }
}

/// A Rust type that a field of a [`Record`] may have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a field of a record",
    label = "not a field of a record",
    note = "fields are `u32`, `i32`, `f32`, `u16`, arrays of these, and arrays of arrays of two to four of these (vectors)",
    note = "`#[record(as = [f32; 3])]` declares a vector type of another crate"
)]
pub trait RecordField {
    /// The type in the record.
    const TYPE: FieldType;
}

impl RecordField for u32 {
    const TYPE: FieldType = FieldType::U32;
}

impl RecordField for i32 {
    const TYPE: FieldType = FieldType::I32;
}

impl RecordField for f32 {
    const TYPE: FieldType = FieldType::F32;
}

impl RecordField for u16 {
    const TYPE: FieldType = FieldType::U16;
}

impl<T: RecordField, const N: usize> RecordField for [T; N] {
    const TYPE: FieldType = T::TYPE.repeated(N);
}

/// The offset of a field in the layout of the graph; for derived code.
#[doc(hidden)]
pub const fn offset_of_field(fields: &[FieldDeclaration], index: usize) -> usize {
    fields[index].ty.offset_after(end_of_fields(fields, index))
}

/// The size of a record in the layout of the graph; for derived code.
#[doc(hidden)]
pub const fn size_of_fields(fields: &[FieldDeclaration]) -> usize {
    end_of_fields(fields, fields.len()).next_multiple_of(4)
}

/// The end of the first `count` fields.
const fn end_of_fields(fields: &[FieldDeclaration], count: usize) -> usize {
    let mut end = 0;
    let mut index = 0;
    while index < count {
        let ty = fields[index].ty;
        end = ty.offset_after(end) + ty.size();
        index += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_become_vectors_or_arrays() {
        fn name<T: RecordField>() -> String {
            T::TYPE.to_string()
        }
        assert_eq!(name::<f32>(), "f32");
        assert_eq!(name::<[f32; 1]>(), "array<f32, 1>");
        assert_eq!(name::<[i32; 3]>(), "vec3<i32>");
        assert_eq!(name::<[u16; 5]>(), "array<u16, 5>");
        assert_eq!(name::<[[f32; 3]; 2]>(), "array<vec3<f32>, 2>");
        assert_eq!(<[u32; 4]>::TYPE.unpacked().to_string(), "array<u32, 4>");
        assert_eq!(<[u32; 9]>::TYPE.unpacked().to_string(), "array<u32, 9>");
    }

    #[test]
    fn offsets_are_those_of_the_graph() {
        let fields = [
            FieldDeclaration::new("a", FieldType::U16),
            FieldDeclaration::new("b", <[f32; 3]>::TYPE),
            FieldDeclaration::new("c", FieldType::U16),
        ];
        assert_eq!(
            [0, 1, 2].map(|index| offset_of_field(&fields, index)),
            [0, 4, 16]
        );
        assert_eq!(size_of_fields(&fields), 20);
    }
}
