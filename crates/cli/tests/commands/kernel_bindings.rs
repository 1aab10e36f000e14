//! `--bind` and `--out` of kernels: a binding that the kernel does not use is an error.

use crate::harness::{CommandOutput, Folder, anywarp};

const KERNELS: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (import "gpu" "buffer_load" (func $load (param i32 i32) (result i32)))
    (import "gpu" "buffer_store" (func $store (param i32 i32 i32)))
    (func (export "double") (call $store (i32.const 0x10002) (call $id)
        (i32.mul (i32.const 2) (call $load (i32.const 0) (call $id)))))
    (func (export "chosen") (param i32) (result i32) (call $load (local.get 0) (i32.const 0)))
    (func (export "none") (result i32) (call $id)))"#;

#[test]
fn inspect_lists_the_buffers_of_each_kernel() {
    let folder = Folder::new("bindings-inspect");
    let file = folder.file("kernels.wasm", wat::parse_str(KERNELS).unwrap());
    let shown = anywarp(&["inspect", &file]).done().stdout;
    for lines in [
        "kernel `double`()\n  buffers 0:0, 1:2\n",
        "kernel `chosen`(i32) -> i32\n  buffers chosen at run time\n",
        "kernel `none`() -> i32\nimport",
    ] {
        assert!(shown.contains(lines), "no `{lines}` in {shown}");
    }
    let json = anywarp(&["inspect", &file, "--json"]).done().json();
    assert_eq!(json["kernels"][0]["bindings"][1], "1:2");
}

fn kernel(test: &str, options: &str) -> CommandOutput {
    let folder = Folder::new(test);
    let file = folder.file("kernels.wasm", wat::parse_str(KERNELS).unwrap());
    let mut command = vec!["run", &file];
    command.extend(options.split_whitespace());
    anywarp(&command)
}

#[test]
fn bindings_that_the_kernel_uses_are_taken() {
    let options = "--entry double --threads 3 --bind 0:0=u32:1,2,3 --out 1:2=print:u32:3";
    let run = kernel("bindings-used", options).done();
    assert!(run.stdout.ends_with("1:2 = [2, 4, 6]\n"), "{}", run.stdout);
}

#[test]
fn other_bindings_are_refused_with_those_that_there_are() {
    let words = ["--bind 0:9: entry point `double` has no such binding; it has 0:0, 1:2"];
    kernel("bindings-bind", "--entry double --bind 0:9=u32:1").failed(2, &words);
    let words = ["--out 0:1: entry point `double` has no such binding; it has 0:0, 1:2"];
    kernel("bindings-out", "--entry double --out 0:1=print:u32:1").failed(2, &words);
    let words = ["entry point `none` has no such binding; it has none"];
    kernel("bindings-none", "--entry none --bind 0:0=u32:1").failed(2, &words);
}

#[test]
fn a_binding_that_the_kernel_chooses_at_run_time_is_not_checked() {
    let options = "--entry chosen --args 0x20003 --bind 2:3=u32:7 --bind 0:9=u32:1";
    let run = kernel("bindings-chosen", options).done();
    assert_eq!(run.stdout, "0: 7\n");
    let verbose = kernel("bindings-told", &format!("{options} -v")).done();
    let told = "info: the kernel chooses bindings at run time";
    assert!(verbose.stderr.contains(told), "{}", verbose.stderr);
}
