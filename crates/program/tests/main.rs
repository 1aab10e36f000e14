//! Tests of programs: diagnostics, front ends, program-to-program passes and limits.

mod concrete;
mod contract;
mod diagnostics;
mod fuzz;
mod fuzz_glsl;
mod glsl;
mod pointers;
mod size;
mod thread_safety;
