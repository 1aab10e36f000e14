//! The WGSL writer: what it writes, and that it means the same.

mod cases;
mod execution;
mod layout;
mod repository;
mod spirv;
