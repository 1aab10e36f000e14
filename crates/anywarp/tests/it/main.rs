//! Tests of the library as a user calls it.

#![expect(missing_docs, reason = "a test program")]

mod bad_input;
mod devices;
mod run;
mod surface;
