//! Record types and the memory layout of their fields.
//!
//! In: fields in order. Out: a [`RecordType`] with the layout of a packed C structure: each field
//! at the next multiple of its scalar's size, the record rounded up to four bytes. What always
//! holds: a record has at least one field. A node without records has an *empty* input, whose
//! records are only counted.

use std::collections::HashSet;
use std::fmt;

use super::identifier;
use super::violation::{Rule, RuleViolation};

/// The maximum size in bytes of a record that nodes send.
pub const MAX_RECORD_BYTES: u32 = 32 << 10;
/// The maximum size in bytes of any record, so that offsets within it fit 32 bits.
const MAX_BYTES: u32 = 1 << 30;
/// The maximum number of fields of a record. WGSL's limit for structure members is one less, and
/// each field becomes several functions in each node that uses the record.
const MAX_FIELDS: usize = 1024;

/// The scalar type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scalar {
    /// 32 bits, unsigned.
    U32,
    /// 32 bits, signed.
    I32,
    /// 32 bits, floating point.
    F32,
    /// 16 bits, unsigned; shaders see it as a `u32`.
    U16,
}

impl Scalar {
    /// Size and alignment in a record, in bytes.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::U16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
        }
    }

    /// The name in a field type, as in `vec2<u16>`.
    pub fn name(self) -> &'static str {
        match self {
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::F32 => "f32",
            Self::U16 => "u16",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::U32, Self::I32, Self::F32, Self::U16]
            .into_iter()
            .find(|scalar| scalar.name() == name)
    }
}

/// The type of a field: a scalar, a vector, or an array of either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldType {
    /// The scalar type.
    pub scalar: Scalar,
    /// The number of components: one for a scalar, two to four for a vector.
    pub components: u32,
    /// The number of elements, if the field is an array.
    pub elements: Option<u32>,
}

impl FieldType {
    /// A single `u32`.
    pub const U32: Self = Self::of(Scalar::U32, 1);
    /// A single `i32`.
    pub const I32: Self = Self::of(Scalar::I32, 1);
    /// A single `f32`.
    pub const F32: Self = Self::of(Scalar::F32, 1);
    /// A single `u16`.
    pub const U16: Self = Self::of(Scalar::U16, 1);

    /// A scalar or, with more than one component, a vector.
    pub const fn of(scalar: Scalar, components: u32) -> Self {
        Self {
            scalar,
            components,
            elements: None,
        }
    }

    /// An array of this type.
    pub const fn array(self, elements: u32) -> Self {
        Self {
            elements: Some(elements),
            ..self
        }
    }

    /// The type of a Rust array of this type: of a scalar a vector, if it has two to four
    /// components, and otherwise an array; of a vector an array.
    ///
    /// # Panics
    /// If this type is an array: a record has no arrays of arrays.
    pub const fn repeated(self, count: usize) -> Self {
        assert!(
            self.elements.is_none(),
            "a record has no arrays of arrays; scalars and vectors can be repeated once"
        );
        assert!(
            count <= u32::MAX as usize,
            "the array is too long for a record"
        );
        match count {
            2..=4 if self.components == 1 => Self::of(self.scalar, count as u32),
            _ => self.array(count as u32),
        }
    }

    /// A vector as an array of its components, in the same layout; any other type unchanged.
    pub const fn unpacked(self) -> Self {
        if self.components > 1 && self.elements.is_none() {
            Self::of(self.scalar, 1).array(self.components)
        } else {
            self
        }
    }

    /// The offset of a field of this type in a record, after a field that ends at `end`.
    #[cfg(feature = "derive")]
    pub(crate) const fn offset_after(self, end: usize) -> usize {
        end.next_multiple_of(self.scalar.bytes() as usize)
    }

    /// Size in bytes, of types that exist in Rust.
    #[cfg(feature = "derive")]
    pub(crate) const fn size(self) -> usize {
        let elements = match self.elements {
            Some(elements) => elements as usize,
            None => 1,
        };
        self.scalar.bytes() as usize * self.components as usize * elements
    }

    /// Parses `u32`, `vec3<f32>` or `array<vec2<u16>, 8>`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(inner) = text
            .strip_prefix("array<")
            .and_then(|rest| rest.strip_suffix('>'))
        {
            let (element, count) = inner.rsplit_once(',')?;
            let count = count.trim().parse().ok()?;
            return Some(Self::parse_element(element)?.array(count));
        }
        Self::parse_element(text)
    }

    /// Parses a type that is not an array. Nested arrays are not allowed and would recurse as deep
    /// as the text nests.
    fn parse_element(text: &str) -> Option<Self> {
        let text = text.trim();
        for components in 2..=4 {
            if let Some(inner) = text
                .strip_prefix(&format!("vec{components}<"))
                .and_then(|rest| rest.strip_suffix('>'))
            {
                return Scalar::named(inner.trim()).map(|scalar| Self::of(scalar, components));
            }
        }
        Scalar::named(text).map(|scalar| Self::of(scalar, 1))
    }

    /// Size of an element in bytes; `u32::MAX` on overflow, which no graph allows.
    pub fn element_bytes(self) -> u32 {
        self.scalar.bytes().saturating_mul(self.components)
    }

    fn bytes(self) -> Option<u32> {
        let element = self.scalar.bytes().checked_mul(self.components)?;
        element.checked_mul(self.elements.unwrap_or(1))
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scalar = self.scalar.name();
        let element = match self.components {
            1 => scalar.to_owned(),
            n => format!("vec{n}<{scalar}>"),
        };
        match self.elements {
            None => f.write_str(&element),
            Some(count) => write!(f, "array<{element}, {count}>"),
        }
    }
}

/// A field and its offset in the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name, an identifier.
    pub name: String,
    /// Its type.
    pub ty: FieldType,
    /// Offset in bytes from the record's start.
    pub offset: u32,
}

/// A record type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordType {
    name: String,
    fields: Vec<Field>,
    grid: Option<usize>,
    second_grid: Option<usize>,
    end: Option<u32>,
}

impl RecordType {
    /// A record type without fields.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            fields: Vec::new(),
            grid: None,
            second_grid: None,
            end: Some(0),
        }
    }

    /// Appends a field.
    pub fn field(mut self, name: impl Into<String>, ty: FieldType) -> Self {
        let size = ty.scalar.bytes();
        // A record that overflows is rejected when the graph is built.
        let offset = self.end.and_then(|end| end.checked_next_multiple_of(size));
        self.end = offset.and_then(|at| at.checked_add(ty.bytes()?));
        self.fields.push(Field {
            name: name.into(),
            ty,
            offset: offset.unwrap_or(0),
        });
        self
    }

    /// Appends the grid field, from which a broadcasting node with a dynamic grid takes its
    /// workgroup count: `u32` or `u16`, one to three components; missing components are one.
    pub fn grid(mut self, name: impl Into<String>, ty: FieldType) -> Self {
        let index = self.fields.len();
        if *self.grid.get_or_insert(index) != index {
            // A second grid field is rejected when the graph is built.
            self.second_grid = Some(index);
        }
        self.field(name, ty)
    }

    /// The declaration of a Rust type.
    #[cfg(feature = "derive")]
    pub fn of<R: crate::record::Record>() -> Self {
        let empty = Self::new(R::NAME);
        R::FIELDS.iter().fold(empty, |record, field| {
            if field.is_grid {
                record.grid(field.name, field.ty)
            } else {
                record.field(field.name, field.ty)
            }
        })
    }

    /// The name by which nodes refer to it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The fields in order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The field that holds the dispatch grid.
    pub fn grid_field(&self) -> Option<&Field> {
        self.grid.map(|index| &self.fields[index])
    }

    /// Size in bytes, a multiple of four; the largest such `u32` on overflow.
    pub fn bytes(&self) -> u32 {
        let rounded = self.end.and_then(|end| end.checked_next_multiple_of(4));
        rounded.unwrap_or(u32::MAX - 3)
    }

    pub(super) fn check(&self) -> Result<(), RuleViolation> {
        let fault = |rule| RuleViolation::of_record(&self.name, rule);
        if !identifier::is_legal(&self.name) {
            return Err(fault(Rule::Name(self.name.clone())));
        }
        if self.fields.is_empty() {
            return Err(fault(Rule::RecordWithoutFields));
        }
        if self.fields.len() > MAX_FIELDS {
            return Err(fault(Rule::TooManyFields(self.fields.len())));
        }
        let mut names = HashSet::new();
        for (index, field) in self.fields.iter().enumerate() {
            if !names.insert(&field.name) {
                return Err(fault(Rule::DuplicateField(field.name.clone())));
            }
            self.check_field(index, field).map_err(fault)?;
        }
        if let (Some(first), Some(second)) = (self.grid, self.second_grid) {
            let name = |index: usize| self.fields[index].name.clone();
            return Err(fault(Rule::MultipleGridFields(name(first), name(second))));
        }
        match self.end {
            Some(end) if end <= MAX_BYTES => Ok(()),
            _ => Err(fault(Rule::RecordTooLarge)),
        }
    }

    fn check_field(&self, index: usize, field: &Field) -> Result<(), Rule> {
        let name = field.name.clone();
        if !identifier::is_legal(&name) {
            return Err(Rule::Name(name));
        }
        let ty = field.ty;
        if !(1..=4).contains(&ty.components) || ty.elements == Some(0) {
            return Err(Rule::FieldType(name));
        }
        let could_be_grid = matches!(ty.scalar, Scalar::U32 | Scalar::U16)
            && ty.components <= 3
            && ty.elements.is_none();
        if self.grid == Some(index) && !could_be_grid {
            return Err(Rule::GridFieldType(name));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_packed_like_c() {
        let record = RecordType::new("R")
            .field("a", FieldType::U16)
            .grid("g", FieldType::of(Scalar::U16, 3))
            .field("b", FieldType::U16)
            .field("c", FieldType::of(Scalar::F32, 3))
            .field("d", FieldType::U16.array(3));
        let offsets: Vec<_> = record.fields().iter().map(|field| field.offset).collect();
        assert_eq!(offsets, [0, 2, 8, 12, 24]);
        assert_eq!(record.bytes(), 32);
        assert_eq!(record.grid_field().unwrap().name, "g");
        assert!(record.check().is_ok());
    }

    #[test]
    fn types_are_read_as_they_are_written() {
        for text in ["u32", "vec2<u16>", "array<f32, 7>", "array<vec4<i32>, 2>"] {
            assert_eq!(FieldType::parse(text).unwrap().to_string(), text);
        }
        for text in [
            "",
            "f64",
            "vec5<u32>",
            "array<u32>",
            "array<array<u32, 2>, 2>",
            "vec2<u32",
        ] {
            assert_eq!(FieldType::parse(text), None, "{text}");
        }
    }

    #[test]
    fn huge_records_are_refused() {
        for elements in [(1 << 28) + 1, u32::MAX] {
            let record = RecordType::new("R").field("a", FieldType::U32.array(elements));
            assert!(record.check().is_err());
        }
        let record = RecordType::new("R").field("a", FieldType::U32.array(1 << 28));
        assert!(record.check().is_ok());
    }

    #[test]
    fn sizes_beyond_32_bits_do_not_wrap() {
        let wide = FieldType::of(Scalar::U32, u32::MAX);
        assert_eq!(wide.element_bytes(), u32::MAX);
        // The second ends two bytes before 2^32 and is rounded up.
        let half = u32::MAX / 2;
        for ty in [wide, FieldType::U16.array(half), wide.array(u32::MAX)] {
            let record = RecordType::new("R").field("a", ty);
            assert_eq!(record.bytes(), u32::MAX - 3, "{ty}");
            assert!(record.check().is_err(), "{ty}");
        }
        let both = RecordType::new("R")
            .field("a", FieldType::U16.array(half))
            .field("b", FieldType::U32);
        assert_eq!(both.bytes(), u32::MAX - 3);
    }
}
