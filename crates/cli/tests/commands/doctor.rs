//! `anywarp doctor`, `completions` and `man`.

use std::fs;

use crate::harness::{Folder, anywarp};

#[test]
fn the_doctor_tries_each_capability() {
    let report = anywarp(&["doctor", "--json"]).done().json();
    let findings = report.as_array().expect("an array");
    let of = |capability: &str| {
        let mut all = findings.iter();
        all.find(|finding| finding["capability"] == capability)
            .unwrap_or_else(|| panic!("nothing about {capability}"))
    };
    assert_eq!(of("CPU")["works"], true);
    assert_eq!(of("shaders")["works"], true);
    let has_code = of("machine code")["works"] == true;
    let shaders = of("shaders")["found"].as_str().expect("a text");
    assert_eq!(shaders.starts_with("run as machine code"), has_code);
    for finding in findings {
        let is_named = |key: &str| finding[key].as_str().is_some_and(|text| !text.is_empty());
        assert!(is_named("found"), "{finding}");
    }
    // The CPU that the devices list is the one that was tried.
    let devices = anywarp(&["devices"]).done().stdout;
    let name = devices.lines().next().unwrap_or_default();
    let text = anywarp(&["doctor"]).done().stdout;
    assert!(
        text.starts_with(&format!("ok  CPU              {name}, ")),
        "{text}"
    );
    assert_eq!(
        text.lines()
            .filter(|line| line.contains("wrong result"))
            .count(),
        0
    );
}

#[test]
fn completions_know_the_commands() {
    for (shell, mark) in [
        ("bash", "_anywarp()"),
        ("zsh", "#compdef anywarp"),
        ("fish", "complete -c anywarp"),
    ] {
        let script = anywarp(&["completions", shell]).done().stdout;
        assert!(script.contains(mark), "{shell}");
        assert!(
            script.contains("translate") && script.contains("doctor"),
            "{shell}"
        );
    }
    anywarp(&["completions", "tcl"]).failed(2, &["tcl", "bash"]);
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let folder = Folder::new("man");
    let pages = folder.path("pages");
    anywarp(&["man", &pages]).done();
    for page in ["anywarp.1", "anywarp-run.1", "anywarp-doctor.1"] {
        let text = fs::read_to_string(format!("{pages}/{page}")).unwrap_or_default();
        assert!(text.contains(".TH"), "{page}");
    }
}
