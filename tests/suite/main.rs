//! The tests that cross crates, except the conformance cases.

mod accuracy;
mod architecture;
mod bench_kernels;
mod documents;
mod fuzz;
mod random_kernels;
mod textures;
