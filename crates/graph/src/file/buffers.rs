//! The user's buffers, as declared in a graph file.

use super::binding_point::{BindingPoint, UsedBindings};
use super::error::FileError;
use super::locations::Locations;
use super::options::ByteBudget;
use super::schema;

/// The binding type of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Exhaustive: WGSL has no other buffer bindings.
pub enum BufferKind {
    /// `var<uniform>`.
    Uniform,
    /// `var<storage, read>`.
    Read,
    /// `var<storage, read_write>`.
    ReadWrite,
}

/// A buffer that a graph file declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBuffer {
    /// Its name, for labels and for `image`.
    pub name: String,
    /// Its bind group and binding.
    pub binding_point: BindingPoint,
    /// Its binding type.
    pub kind: BufferKind,
    /// Its size in bytes.
    pub size: u64,
    /// Its initial contents; zeros follow.
    pub contents: Vec<u8>,
}

pub(super) fn buffers(
    file: &schema::File,
    used: &mut UsedBindings,
    byte_budget: &ByteBudget,
    locations: &Locations<'_>,
) -> Result<Vec<FileBuffer>, FileError> {
    let buffers = file.buffer.iter();
    buffers
        .map(|declared| {
            let made = buffer(declared, used, locations)?;
            let taken = byte_budget.take(made.size);
            taken.map_err(|over| locations.at(&declared.name, over))?;
            Ok(made)
        })
        .collect()
}

fn buffer(
    buffer: &schema::Buffer,
    used: &mut UsedBindings,
    locations: &Locations<'_>,
) -> Result<FileBuffer, FileError> {
    let contents = contents(buffer, locations)?;
    let given = contents.len() as u64;
    let size = match &buffer.size {
        None => given,
        Some(size) if *size.get_ref() < given => {
            let message = format!("is less than the {given} bytes of its contents");
            return Err(locations.at(size, message));
        }
        Some(size) if size.get_ref() % 4 != 0 => {
            return Err(locations.at(size, "is not a multiple of four bytes"));
        }
        Some(size) => *size.get_ref(),
    };
    if size == 0 {
        let message = "the buffer needs a `size`, or contents as `u32`, `i32` or `f32`";
        return Err(locations.at(&buffer.name, message));
    }
    Ok(FileBuffer {
        name: buffer.name.get_ref().clone(),
        binding_point: used.take(
            &buffer.name,
            buffer.group.as_ref(),
            &buffer.binding,
            locations,
        )?,
        kind: match buffer.kind {
            schema::Kind::Uniform => BufferKind::Uniform,
            schema::Kind::Read => BufferKind::Read,
            schema::Kind::ReadWrite => BufferKind::ReadWrite,
        },
        size,
        contents,
    })
}

fn contents(buffer: &schema::Buffer, locations: &Locations<'_>) -> Result<Vec<u8>, FileError> {
    let mut found: Vec<(_, Vec<u8>)> = Vec::new();
    if let Some(list) = &buffer.u32 {
        let bytes = list.get_ref().iter().flat_map(|value| value.to_le_bytes());
        found.push((list.span(), bytes.collect()));
    }
    if let Some(list) = &buffer.i32 {
        let bytes = list.get_ref().iter().flat_map(|value| value.to_le_bytes());
        found.push((list.span(), bytes.collect()));
    }
    if let Some(list) = &buffer.f32 {
        let bytes = list.get_ref().iter().flat_map(|value| value.to_le_bytes());
        found.push((list.span(), bytes.collect()));
    }
    match found.len() {
        0 | 1 => Ok(found.pop().map(|(_, bytes)| bytes).unwrap_or_default()),
        _ => Err(locations.error(found[1].0.clone(), "the buffer has contents already")),
    }
}
