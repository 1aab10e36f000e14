//! Tells the virtual machine how it may dispatch: without optimisation a call in tail position is a
//! real call, and a chain of handlers would overflow the stack.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(dispatch_by_loop)");
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=dispatch_by_loop");
    }
}
