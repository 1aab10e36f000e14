//! Translates a folder of programs.
//!
//! In: a folder, and the language. Out: for every .wgsl, .spv, .spvasm and GLSL file below it, a file with the same
//! name below the output folder, and one line with the number of files. What always holds: no input is overwritten; a
//! file that fails does not prevent the translation of the others. Symbolic links to folders are not followed.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::{Job, Language, is_stdout, write};
use crate::cli::TranslateArgs;
use crate::console;
use crate::error::Error;
use crate::run::Progress;

/// Translates a folder.
pub(super) fn translate(args: &TranslateArgs) -> Result<(), Error> {
    let wrong = |reason: &str| Error::UnsupportedOutput {
        path: args.output.clone(),
        reason: reason.to_owned(),
    };
    let Some(language) = args.to else {
        return Err(wrong(
            "the input is a folder; say what its files should become with --to wgsl|spv|spvasm|glsl|hlsl|msl",
        ));
    };
    if is_stdout(&args.output) {
        return Err(wrong(
            "the input is a folder, which cannot go to standard output",
        ));
    }
    if args.output.is_file() {
        return Err(wrong("it is a file, but the input is a folder"));
    }
    if args.bindings.is_some() || args.bindings_from.is_some() {
        return Err(Error::Argument {
            option: if args.bindings.is_some() {
                "--bindings"
            } else {
                "--bindings-from"
            },
            reason: "it is for one file, but the input is a folder".to_owned(),
        });
    }
    let files = files(&args.input, &args.output)?;
    if files.is_empty() {
        return Err(Error::UnsupportedInput {
            path: args.input.clone(),
            reason: "the folder has no .wgsl, .spv, .spvasm, .comp, .vert or .frag file".to_owned(),
        });
    }
    let job = Job::new(args, language)?;
    let failed = translate_all(&job, &files);
    let done = files.len() - failed;
    console::result(&format!(
        "{}: {done} of {} files translated to {} in {}",
        args.input.display(),
        files.len(),
        language.name(),
        args.output.display()
    ))?;
    match failed {
        0 => Ok(()),
        _ => Err(Error::Untranslated {
            failed,
            all: files.len(),
        }),
    }
}

/// Translates all files and returns the number of failures; errors are printed as they occur.
fn translate_all(job: &Job<'_>, files: &BTreeSet<PathBuf>) -> usize {
    let progress = Progress::of(files.len() as u64, "files");
    let inputs: HashSet<PathBuf> = files
        .iter()
        .filter_map(|file| job.args.input.join(file).canonicalize().ok())
        .collect();
    let mut written = HashSet::new();
    let mut failed = 0;
    for file in files {
        let output = job.args.output.join(renamed(file, job.language));
        let is_input = output
            .canonicalize()
            .is_ok_and(|output| inputs.contains(&output));
        let result = if is_input {
            Err(Error::UnsupportedOutput {
                path: output,
                reason: "it is one of the inputs".to_owned(),
            })
        } else if !written.insert(output.clone()) {
            Err(Error::WrittenTwice(output))
        } else {
            translate_one(job, file, &output)
        };
        if let Err(error) = result {
            failed += 1;
            progress.suspend(|| console::error(&error));
        }
        progress.advance(1);
    }
    failed
}

/// The name of a translation. GLSL inputs keep the stage in the name: `a.vert` and `a.frag` are two programs.
fn renamed(file: &Path, language: Language) -> PathBuf {
    let extension = language.extension();
    match (Language::of_input(file), file.extension()) {
        (Some(Language::Glsl), Some(stage)) if stage != "glsl" => {
            file.with_extension(format!("{}.{extension}", stage.display()))
        }
        _ => file.with_extension(extension),
    }
}

fn translate_one(job: &Job<'_>, file: &Path, output: &Path) -> Result<(), Error> {
    let (bytes, _) = job.translate(&job.args.input.join(file))?;
    if let Some(parent) = output.parent() {
        fs::create_dir_all(parent).map_err(|source| Error::Write {
            path: parent.to_owned(),
            source,
        })?;
    }
    write(output, &bytes)
}

/// The relative paths of all programs below a folder, without those below the output folder.
fn files(root: &Path, output: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    let avoided = output.canonicalize().ok();
    let mut found = BTreeSet::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let path = root.join(&folder);
        let failed = |source| Error::Read {
            path: path.clone(),
            source,
        };
        // If the output folder is the input folder, inputs and outputs are distinguished file by file.
        let is_root = folder.as_os_str().is_empty();
        if !is_root && avoided.is_some() && path.canonicalize().ok() == avoided {
            continue;
        }
        for entry in fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = folder.join(entry.file_name());
            if entry.file_type().map_err(failed)?.is_dir() {
                folders.push(name);
            } else if Language::of_input(&name).is_some() {
                found.insert(name);
            }
        }
    }
    Ok(found)
}
