//! Tests of the SPIR-V reader, assembler and writer: modules, images, execution on devices, round trips.

mod assembly;
mod common;
mod execution;
mod families;
mod fuzz;
mod images;
mod listed;
mod modules;
mod render;
mod round_trip;
mod spirv_out;
