//! The WGSL writer: what it writes, and that it means the same.

mod budget;
mod cases;
mod depth;
mod execution;
mod foreign;
mod layout;
mod random;
mod readable;
mod repository;
mod shaders;
mod shared;
mod spirv;
mod threads;
mod tint;
