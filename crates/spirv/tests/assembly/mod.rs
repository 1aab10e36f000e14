//! SPIR-V as text: the same words as `spirv-as` makes, and text that it takes.

mod broken;
mod errors;
mod repository;
mod tools;
