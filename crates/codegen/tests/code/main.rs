//! Machine code against the evaluator of `anywarp-lanes`, on every target that this CPU supports.

#![cfg(all(unix, target_arch = "x86_64"))]

mod blocks;
mod calls;
mod elements;
mod fused;
mod guards;
mod kernel;
mod memory;
mod ops;
mod pages;
mod random;
mod roots;
mod run;
mod run_time_rows;
mod threads;
mod wide;
mod words;
