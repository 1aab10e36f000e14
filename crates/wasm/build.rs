//! Tells the virtual machine how it may dispatch: where a call in tail position could be a real call,
//! a chain of handlers would overflow the stack.
//!
//! The language does not promise jumps, so handlers call each other only where that was seen to become
//! one: with full optimisation, and on processors that have all of a handler's arguments in registers.
//! `vm::tail_calls` tests it for every handler.

use std::env::var;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(dispatch_by_loop)");
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| var(name).is_ok_and(|found| found == value);
    let in_registers = match var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("x86_64") => !is("CARGO_CFG_TARGET_OS", "windows"),
        Ok("aarch64") => true,
        _ => false,
    };
    if !is("OPT_LEVEL", "3") || !in_registers {
        println!("cargo::rustc-cfg=dispatch_by_loop");
    }
}
