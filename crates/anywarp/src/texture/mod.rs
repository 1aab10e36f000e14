//! Textures of `run`: binding types, device formats, and pictures.
//!
//! What always holds: the texels of a texture are tightly packed bytes, ordered by level, then by layer (or slice),
//! then by row. Files, uploads and read-backs use this order.

mod binding;
mod format;
mod picture;

pub(crate) use binding::{TextureClass, TextureType};
pub(crate) use format::{check_format, is_filterable, is_read_back, is_uploaded, wgpu_format};
pub(crate) use picture::{decode_png, encode_png, scalars};
