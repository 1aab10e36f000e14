//! Tests of each instruction family: modules with one instruction are read and run, and the results compared with those
//! computed here.

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
