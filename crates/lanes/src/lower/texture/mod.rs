//! Texture loads, stores, atomics and queries: host calls (`image`), or inline code for common formats (`texel_load`,
//! `texel_store`).

pub(in crate::lower) mod image;
pub(in crate::lower) mod texel_load;
pub(in crate::lower) mod texel_store;
