//! Tint accepts all WGSL for browsers, and rejects invalid WGSL.

use std::fs;
use std::path::Path;

use anywarp_batch::{BatchBindings, LockLayout};
use anywarp_browser_tests::{Browser, Severity, tint_check};
use anywarp_wasm::gpu::{MemoryKind, kernel_wgsl};

use crate::pages::{serve, wait_until_done};

#[test]
fn our_shaders_pass_tint() {
    let Some(browser) = Browser::launch_for("Tint on our shaders") else {
        return;
    };
    let programs = programs(&browser);
    let given: Vec<_> = programs
        .iter()
        .map(|(name, wgsl)| (name.as_str(), wgsl.as_str()))
        .collect();
    let answers = tint_check(&browser, &given).unwrap();
    assert_eq!(answers.len(), programs.len());
    for ((name, _), answer) in programs.iter().zip(answers) {
        assert_eq!(answer, Ok(()), "{name}");
    }
}

#[test]
fn tint_refuses_bad_shaders_with_a_place() {
    let Some(browser) = Browser::launch_for("Tint on bad shaders") else {
        return;
    };
    let unknown = "fn a() -> u32 {\n    return b;\n}\n";
    let not_uniform = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    if data[lane] == 0u {
        workgroupBarrier();
    }
}
";
    let good = "@compute @workgroup_size(1) fn main() {}";
    let programs = [
        ("unknown", unknown),
        ("not uniform", not_uniform),
        ("good", good),
    ];
    let [unknown, not_uniform, good] = tint_check(&browser, &programs).unwrap().try_into().unwrap();

    let messages = unknown.unwrap_err();
    let first = &messages[0];
    assert_eq!(
        (first.severity, first.line, first.column),
        (Severity::Error, 2, 12)
    );
    assert!(first.text.contains("unresolved value 'b'"), "{first:?}");
    let messages = not_uniform.unwrap_err();
    assert_eq!(messages[0].line, 5, "{messages:?}");
    assert!(
        messages[0].text.contains("uniform control flow"),
        "{messages:?}"
    );
    assert_eq!(good, Ok(()));
}

/// The shaders for browsers: those of the pages as they create them, those that a user's shader includes, and the
/// examples.
fn programs(browser: &Browser) -> Vec<(String, String)> {
    let mut programs = recorded(browser, "batch-page");
    for entry_point in ["guard", "copy_results", "release", "main"] {
        let declaration = format!("fn {entry_point}(");
        let is_there = programs.iter().any(|(_, wgsl)| wgsl.contains(&declaration));
        assert!(is_there, "no shader with {entry_point}");
    }
    programs.extend(recorded(browser, "mandelbrot-page"));
    for slots in [1, 2, 8] {
        let user = BatchBindings::default().wgsl(LockLayout::new(slots))
            + "@compute @workgroup_size(1) fn main() { if !batch_is_active() { return; } }";
        programs.push((format!("a user's shader, {slots} slots"), user));
    }
    for memory in [MemoryKind::Private, MemoryKind::Shared] {
        let name = format!("the WebAssembly interpreter, {memory:?} memory");
        programs.push((name, kernel_wgsl(memory)));
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for entry in fs::read_dir(examples).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "wgsl")
        {
            let wgsl = fs::read_to_string(&path).unwrap();
            programs.push((path.display().to_string(), wgsl));
        }
    }
    programs
}

/// Every shader that a page creates.
fn recorded(browser: &Browser, package: &str) -> Vec<(String, String)> {
    const RECORD: &str = "
        globalThis.shaders = [];
        const create = GPUDevice.prototype.createShaderModule;
        GPUDevice.prototype.createShaderModule = function (descriptor) {
            shaders.push([descriptor.label ?? 'no label', descriptor.code]);
            return create.call(this, descriptor);
        };";
    let server = serve(package);
    let url = format!("{}?size=32x24&limit=50", server.url());
    let tab = browser.open_with(&url, [640, 480], RECORD).unwrap();
    wait_until_done(&tab);
    let shaders = tab.evaluate("shaders").unwrap();
    serde_json::from_value(shaders).unwrap()
}
