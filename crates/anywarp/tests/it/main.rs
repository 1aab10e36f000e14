//! Tests of the library as a user calls it.

mod bad_input;
mod cpu_options;
mod devices;
mod refusals;
mod run;
mod surface;
