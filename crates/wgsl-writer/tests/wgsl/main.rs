//! Tests of the WGSL writer: exact text, semantics, layouts, limits and determinism.

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
