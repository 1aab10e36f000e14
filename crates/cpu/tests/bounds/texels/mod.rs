//! Texels: machine code reads and writes what the interpreter does, in every format, by itself or by asking.

mod cases;
mod loads;
mod run;
mod stores;
