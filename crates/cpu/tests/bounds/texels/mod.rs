//! Texel accesses: machine code against the interpreter in every format, by its own instructions or by host calls.

mod cases;
mod loads;
mod run;
mod stores;
