//! The `anywarp` command from outside: what it prints, writes and exits with.
//!
//! Runs on our CPU device; `ANYWARP_TEST_DEVICE=gpu` runs the same on another.

mod bad_input;
mod build;
mod devices;
mod examples;
mod graphs;
mod harness;
mod inspect;
mod kernel_options;
mod kernels;
mod run;
mod translate;
mod translate_folders;
mod translate_spirv;
