//! Tests of the library as a user calls it.

mod bad_input;
mod devices;
mod run;
mod surface;
