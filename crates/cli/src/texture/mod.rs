//! Pictures of textures.
//!
//! What always holds: the texels of a texture are tightly packed bytes, ordered by level, then by layer (or slice),
//! then by row. Files, uploads and read-backs use this order.

mod picture;

pub(crate) use anywarp::reflection::TextureType;
pub(crate) use anywarp::texture_format::{check_format, is_filterable, is_read_back, is_uploaded};
pub(crate) use picture::{decode_png, encode_png, scalars};
