//! The official WebAssembly test suite, versions 1 and 2, on the virtual machine and on the GPU
//! interpreter. The results must match `docs/wasm-suite.md`.
//!
//! `cargo test -p anywarp-wasm --test it official:: -- --ignored --nocapture` runs all of it on every
//! device and prints the table; `ANYWARP_DEVICE` selects a device by a part of its name.
//! `ANYWARP_BLESS=1` writes the table into the document, if all three executors have run.

mod devices;
mod document;
mod executor;
mod gpu;
mod runner;
mod table;
pub(crate) mod values;

use std::time::Instant;

use document::Document;
use executor::{Machine, VirtualMachine};
use runner::{Report, Version};

/// Creates executors of one kind.
struct Kind {
    /// The column name in the document.
    name: String,
    make: Box<dyn FnMut() -> Box<dyn Machine>>,
}

#[test]
fn version_1_on_the_virtual_machine() {
    is_as_documented(Version::V1, virtual_machine());
}

#[test]
fn version_2_on_the_virtual_machine() {
    is_as_documented(Version::V2, virtual_machine());
}

#[test]
fn version_1_on_the_gpu_interpreter() {
    is_as_documented(Version::V1, devices::cpu_adapter());
}

#[test]
fn version_2_on_the_gpu_interpreter() {
    is_as_documented(Version::V2, devices::cpu_adapter());
}

#[test]
fn version_1_on_lavapipe() {
    on_lavapipe(Version::V1);
}

#[test]
fn version_2_on_lavapipe() {
    on_lavapipe(Version::V2);
}

#[test]
#[ignore = "minutes; the command of docs/wasm-suite.md"]
fn all_of_it_on_every_device() {
    let wanted = std::env::var("ANYWARP_DEVICE").unwrap_or_default();
    let mut kinds = vec![virtual_machine()];
    kinds.extend(devices::all());
    kinds.retain(|kind| kind.name.to_lowercase().contains(&wanted.to_lowercase()));
    assert!(!kinds.is_empty(), "no machine is called `{wanted}`");
    let mut document = Document::read();
    let mut wrong = Vec::new();
    for version in [Version::V1, Version::V2] {
        let columns: Vec<_> = kinds
            .iter_mut()
            .map(|kind| (kind.name.clone(), run(version, kind)))
            .collect();
        let text = table::render(&columns);
        show(&format!("version {}\n\n{text}", version.number()));
        if std::env::var_os("ANYWARP_BLESS").is_some() {
            document.set_table(version, &columns, &text);
        }
        for (name, reports) in &columns {
            wrong.extend(document.differences(version, name, reports));
        }
    }
    document.write_if_changed();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn on_lavapipe(version: Version) {
    match devices::lavapipe() {
        Some(lavapipe) => is_as_documented(version, lavapipe),
        None => devices::report_skip("the official suite on lavapipe: no such adapter"),
    }
}

fn virtual_machine() -> Kind {
    Kind {
        name: "virtual machine".to_owned(),
        make: Box::new(|| Box::new(VirtualMachine::default())),
    }
}

fn run(version: Version, kind: &mut Kind) -> Vec<Report> {
    let start = Instant::now();
    let reports = runner::run_version(version, &mut kind.make);
    let seconds = start.elapsed().as_secs_f64();
    show(&format!(
        "version {} on {}: {seconds:.1} s",
        version.number(),
        kind.name
    ));
    reports
}

fn is_as_documented(version: Version, mut kind: Kind) {
    let reports = run(version, &mut kind);
    let wrong = Document::read().differences(version, &kind.name, &reports);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[expect(
    clippy::print_stdout,
    reason = "what the test is run for, with --nocapture"
)]
fn show(text: &str) {
    println!("{text}");
}
