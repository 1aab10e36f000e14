//! Each family of instructions: SPIR-V text of one instruction, read, and run on values whose results
//! the tests compute themselves.

mod assembly;
mod machine;

mod arrays;
mod atomics;
mod constants;
mod conversions;
mod dots;
mod geometry;
mod glsl;
mod pointers;
mod refusals;
mod subgroups;
mod texts;
mod wide;
