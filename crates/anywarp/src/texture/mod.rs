//! Textures of `run`: types of bindings, formats of devices, and pictures.
//!
//! What always holds: the texels of a texture are bytes without gaps, level after level, in a level layer
//! after layer (or slice after slice), row after row. That is what files hold, what is copied to a
//! device, and what comes back.

mod binding;
mod format;
mod picture;

pub(crate) use binding::{TextureClass, TextureType};
pub(crate) use format::{check_format, is_filterable, is_read_back, is_uploaded, wgpu_format};
pub(crate) use picture::{decode_png, encode_png, scalars};
