//! Round trips of every valid WGSL file in the repository: written, parsed and written again without a difference.

use std::path::{Path, PathBuf};

use anywarp_program::Program;
use anywarp_wgsl_writer::{Dialect, WgslOptions, write_wgsl};

/// Collects the `.wgsl` files in a directory tree.
pub(crate) fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() && name != "target" && !name.to_string_lossy().starts_with('.') {
            files(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "wgsl")
        {
            found.push(path);
        }
    }
}

/// The name and the program of each file that is valid on its own.
pub(crate) fn programs() -> Vec<(String, Program)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    files(&root, &mut found);
    found.sort();
    found
        .iter()
        .filter_map(|path| {
            let text = std::fs::read_to_string(path).ok()?;
            let program = Program::from_wgsl(&text).ok()?;
            let name = path.strip_prefix(&root).unwrap_or(path);
            Some((name.display().to_string(), program))
        })
        .collect()
}

#[test]
fn written_files_are_read_and_written_the_same() {
    let programs = programs();
    assert!(programs.len() > 250, "only {} files", programs.len());
    let mut faults = Vec::new();
    for (name, program) in &programs {
        let options = WgslOptions::new(Dialect::Naga);
        let text = match write_wgsl(program, &options) {
            Ok(text) => text,
            Err(error) => {
                faults.push(format!("{name}: not written: {error}"));
                continue;
            }
        };
        let again = match Program::from_wgsl(&text) {
            Ok(again) => again,
            Err(error) => {
                faults.push(format!("{name}: not read: {error}\n{text}"));
                continue;
            }
        };
        match write_wgsl(&again, &options) {
            // With overrides, a `var` that hides a constant is declared at its first use in the second text.
            Ok(second) if second == text || !program.module().overrides.is_empty() => {}
            Ok(second) => faults.push(format!("{name}: changes\n{text}\n---\n{second}")),
            Err(error) => faults.push(format!("{name}: not written again: {error}")),
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {}\n{}",
        faults.len(),
        programs.len(),
        faults.join("\n\n")
    );
}
