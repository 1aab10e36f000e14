//! The `anywarp` command from outside: its output, files and exit codes.
//!
//! Runs on the CPU device; `ANYWARP_TEST_DEVICE=gpu` runs the same tests on another one.

mod bad_input;
mod bad_textures;
mod bench;
mod build;
mod conflicts;
mod devices;
mod doctor;
mod engines;
mod examples;
mod front_ends;
mod gallery;
mod glsl;
mod graphs;
mod harness;
mod hostile;
mod inspect;
mod kernel_bindings;
mod kernel_options;
mod kernels;
mod limits;
mod members;
mod needs;
mod run;
mod samplers;
mod scalars;
mod sources;
mod stdin;
mod texture_formats;
mod textures;
mod translate;
mod translate_folders;
mod translate_spirv;
mod verbosity;
