//! The test programs: one small file per construct, and every valid WGSL file of the repository.

use std::path::{Path, PathBuf};

use anywarp_program::Program;

pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) program: Program,
}

/// One program per construct of WGSL.
pub(crate) fn constructs() -> Vec<Input> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spirv_out/cases");
    let inputs = inputs(&folder, |path, error| panic!("{}: {error}", path.display()));
    assert!(inputs.len() > 60, "only {} constructs", inputs.len());
    inputs
}

/// The other files of the repository that are valid on their own.
pub(crate) fn repository() -> Vec<Input> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut inputs = inputs(&root, |_, _| ());
    inputs.retain(|input| !input.name.contains("spirv_out"));
    assert!(inputs.len() > 250, "only {} files", inputs.len());
    inputs
}

fn inputs(folder: &Path, refused: impl Fn(&Path, String)) -> Vec<Input> {
    let mut found = Vec::new();
    files(folder, &mut found);
    found.sort();
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path
            .strip_prefix(folder)
            .unwrap_or(path)
            .display()
            .to_string();
        match Program::from_wgsl(&text) {
            Ok(program) => Some(Input { name, program }),
            Err(error) => {
                refused(path, error.to_string());
                None
            }
        }
    };
    found.iter().filter_map(read).collect()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
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
