//! Tests of assembler and disassembler, compared with `spirv-as` and `spirv-dis`.

mod broken;
mod errors;
mod repository;
mod tools;
