//! Golden tests of passes.

use crate::compile::ir::{Function, parse, verify};

fn normal(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

fn after(pass: impl Fn(&mut Function) -> bool, text: &str) -> (bool, String) {
    let mut function = parse(text).unwrap();
    verify(&function).unwrap();
    let has_changed = pass(&mut function);
    let text = function.to_string();
    verify(&function).unwrap_or_else(|error| panic!("{error}\n{text}"));
    (has_changed, normal(&text))
}

/// The pass makes one text of the other, and says so.
#[track_caller]
pub(super) fn check(pass: impl Fn(&mut Function) -> bool, before: &str, expected: &str) {
    let (has_changed, text) = after(pass, before);
    assert!(text == normal(expected), "the pass gives:\n{text}");
    assert!(has_changed);
}

/// The pass does nothing, and says so.
#[track_caller]
pub(super) fn unchanged(pass: impl Fn(&mut Function) -> bool, text: &str) {
    let original = normal(&parse(text).unwrap().to_string());
    let (has_changed, text) = after(pass, text);
    assert!(text == original, "the pass gives:\n{text}");
    assert!(!has_changed);
}
