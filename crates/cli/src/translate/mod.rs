//! `anywarp translate`: translates a program, or a folder of programs, to another language.
//!
//! `anywarp-spirv` reads and writes WGSL and SPIR-V, the latter also as assembly; naga writes GLSL, HLSL and MSL. The
//! output has the meaning of the input; overrides are kept if the language supports them (WGSL and SPIR-V) and take
//! their default values otherwise. Between SPIR-V binaries and assembly nothing is translated: the words stay the
//! same unless an option asks for a change. The output size is bounded (`--max-bytes`, `--max-steps`, `--max-time`),
//! since a small program can have exponentially long text.

mod folder;
mod language;

use std::fs;
use std::path::Path;

use anywarp::{TranslateError, TranslateOptions};
use anywarp_spirv::{Bindings, ReadOptions};

use crate::cli::{TranslateArgs, WgslDialect};
use crate::console;
use crate::error::Error;
use crate::input;

pub(crate) use language::Language;

/// The largest file of `--bindings-from` that is read.
const MAP_LIMIT: u64 = 16 << 20;

/// Runs the command.
pub(crate) fn translate(args: &TranslateArgs) -> Result<(), Error> {
    if args.allow_recursion {
        return Err(Error::Argument {
            option: "--allow-recursion",
            reason: "only for kernels in WebAssembly, not for shaders".to_owned(),
        });
    }
    if args.input.is_dir() && !input::is_stdin(&args.input) {
        return folder::translate(args);
    }
    if args.workgroup_size.is_some() {
        return Err(Error::Argument {
            option: "--workgroup-size",
            reason: "only for kernels in WebAssembly; shaders have their own".to_owned(),
        });
    }
    check_maps(args)?;
    let language = output_language(args)?;
    let job = Job::new(args, language)?;
    let (bytes, bindings) = job.translate(&args.input)?;
    write_output(args, &bytes)?;
    match &args.bindings {
        Some(path) => write(path, json(&bindings, path)?.as_bytes()),
        None => Ok(()),
    }
}

/// Writes a program that was compiled from a kernel, by the options of the command.
pub(crate) fn write_program(
    args: &TranslateArgs,
    name: &str,
    program: &anywarp_program::Program,
) -> Result<(), Error> {
    let language = output_language(args)?;
    let job = Job::new(args, language)?;
    let mut options = job.options(false);
    // The program has one entry point, whose name can differ from the kernel's.
    options.entry = None;
    let written = anywarp::translate_with(program, language.into(), &options);
    let bytes = written.map_err(|error| explained(error, name))?;
    write_output(args, &bytes)
}

/// The language of the output, after a check of the output's path.
fn output_language(args: &TranslateArgs) -> Result<Language, Error> {
    let is_stdout = is_stdout(&args.output);
    let language = match args.to {
        Some(language) => language,
        None if is_stdout => Language::for_stdout(&args.input)?,
        None => Language::of(&args.output)?,
    };
    if is_stdout {
        check_terminal(language)?;
    } else {
        check_file(args)?;
    }
    Ok(language)
}

fn write_output(args: &TranslateArgs, bytes: &[u8]) -> Result<(), Error> {
    if is_stdout(&args.output) {
        console::contents(bytes)
    } else {
        write(&args.output, bytes)
    }
}

/// Options about bindings apply to SPIR-V only.
fn check_maps(args: &TranslateArgs) -> Result<(), Error> {
    let maps = [
        ("--bindings", args.bindings.is_some()),
        ("--bindings-from", args.bindings_from.is_some()),
    ];
    let is_wgsl = Language::of_input(&args.input) == Some(Language::Wgsl);
    match maps.into_iter().find(|(_, is_given)| *is_given && is_wgsl) {
        Some((option, _)) => Err(Error::Argument {
            option,
            reason: "only for SPIR-V that is read, and the input is WGSL".to_owned(),
        }),
        None => Ok(()),
    }
}

/// Whether the output path is standard output.
pub(crate) fn is_stdout(output: &Path) -> bool {
    output == Path::new("-")
}

/// Refuses to write binary SPIR-V to a terminal.
fn check_terminal(language: Language) -> Result<(), Error> {
    if language == Language::Spirv && console::is_terminal() {
        return Err(Error::Argument {
            option: "--to spv",
            reason: "standard output is a terminal, and SPIR-V is binary: \
                     write a file, or text with --to spvasm"
                .to_owned(),
        });
    }
    Ok(())
}

/// Checks that the output is a file and not the input.
fn check_file(args: &TranslateArgs) -> Result<(), Error> {
    let wrong = |reason: &str| Error::UnsupportedOutput {
        path: args.output.clone(),
        reason: reason.to_owned(),
    };
    if args.output.is_dir() {
        return Err(wrong("it is a folder; name the file"));
    }
    if is_same(&args.input, &args.output) {
        return Err(wrong("it is the input"));
    }
    Ok(())
}

/// Whether both paths are the same existing file.
fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    fs::write(path, bytes).map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })
}

fn json(bindings: &Bindings, path: &Path) -> Result<String, Error> {
    let text = bindings.to_json().map_err(|error| Error::Write {
        path: path.to_owned(),
        source: std::io::Error::other(error),
    })?;
    Ok(text + "\n")
}

/// Rejects options that would have no effect.
fn check(args: &TranslateArgs, language: Language) -> Result<(), Error> {
    let spirv = [
        ("--spirv-version", args.spirv_version.is_some()),
        ("--discard", args.discard.is_some()),
        ("--check-bounds", args.check_bounds),
        ("--strip-names", args.strip_names),
    ];
    let of_spirv = spirv
        .into_iter()
        .map(|it| (it, language.is_spirv(), "SPIR-V"));
    let dialect = ("--dialect", args.dialect.is_some());
    let of_wgsl = (dialect, language == Language::Wgsl, "WGSL");
    for ((option, is_given), is_written, what) in of_spirv.chain([of_wgsl]) {
        if is_given && !is_written {
            let reason = format!("it is for {what}, and {} is written", language.name());
            return Err(Error::Argument { option, reason });
        }
    }
    Ok(())
}

/// How files are translated.
struct Job<'a> {
    args: &'a TranslateArgs,
    language: Language,
    reading: ReadOptions,
}

impl<'a> Job<'a> {
    fn new(args: &'a TranslateArgs, language: Language) -> Result<Self, Error> {
        check(args, language)?;
        let bindings = match &args.bindings_from {
            Some(path) => read_map(path)?,
            None => Bindings::default(),
        };
        let reading = ReadOptions::default()
            .freeze_constants(args.freeze_constants)
            .flip_y(args.flip_y)
            .bindings(bindings);
        Ok(Self {
            args,
            language,
            reading,
        })
    }

    /// Translates one file; returns the output and the bindings that changed.
    fn translate(&self, path: &Path) -> Result<(Vec<u8>, Bindings), Error> {
        let is_spirv = Language::of_input(path).is_some_and(Language::is_spirv);
        if self.keeps_words(path) {
            let words = input::words(path)?;
            return Ok((self.spirv(&words, path)?, Bindings::default()));
        }
        if self.args.flip_y && !is_spirv && !self.language.is_spirv() {
            return Err(Error::Argument {
                option: "--flip-y",
                reason: "one side must be SPIR-V, whose y points the other way".to_owned(),
            });
        }
        let input = input::load_with(path, &self.reading)?;
        // A flip that was done while reading is not done again.
        let options = self.options(self.args.flip_y && !is_spirv);
        let written = anywarp::translate_with(&input.program, self.language.into(), &options);
        let bytes = written.map_err(|error| explained(error, &input.name))?;
        Ok((bytes, input.bindings))
    }

    fn options(&self, flips: bool) -> TranslateOptions {
        let args = self.args;
        let mut options = TranslateOptions::default();
        options.entry.clone_from(&args.entry);
        options.freeze_constants = args.freeze_constants;
        options.dialect = args.dialect.unwrap_or(WgslDialect::Webgpu).into();
        options.limits = args.work.limits();
        let spirv = &mut options.spirv;
        spirv.version = args.spirv_version.unwrap_or(spirv.version);
        spirv.flip_y = flips;
        spirv.debug_names = !args.strip_names;
        spirv.discard = args.discard.map_or(spirv.discard, Into::into);
        spirv.check_bounds = args.check_bounds;
        options
    }

    /// Whether input and output are the same SPIR-V words, in binary or as assembly.
    fn keeps_words(&self, path: &Path) -> bool {
        let notations = (Language::of_input(path), self.language);
        let is_other = matches!(
            notations,
            (Some(Language::Spirv), Language::Assembly)
                | (Some(Language::Assembly), Language::Spirv)
        );
        is_other && !self.args.changes_words()
    }

    fn spirv(&self, words: &[u32], path: &Path) -> Result<Vec<u8>, Error> {
        anywarp::spirv_bytes(words, self.language.into()).map_err(|reason| Error::Spirv {
            file: input::name(path),
            reason,
        })
    }
}

/// The errors of the library in the terms of the command.
fn explained(error: TranslateError, file: &str) -> Error {
    let file = file.to_owned();
    match error {
        TranslateError::NoEntryPoint => Error::NoEntryPoint { file },
        TranslateError::AmbiguousEntryPoint { available } => Error::AmbiguousEntryPoint {
            file,
            kind: "",
            available,
        },
        TranslateError::UnknownEntryPoint { name, available } => Error::UnknownEntryPoint {
            file,
            name,
            available,
        },
        TranslateError::Writer { language, reason } => Error::Translate {
            file,
            language: language.name(),
            reason,
        },
        other => Error::Translate {
            file,
            language: "another language",
            reason: other.to_string(),
        },
    }
}

fn read_map(path: &Path) -> Result<Bindings, Error> {
    let wrong = |reason: String| Error::Argument {
        option: "--bindings-from",
        reason: format!("{}: {reason}", path.display()),
    };
    let bytes = input::read(path, MAP_LIMIT)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        wrong(format!(
            "not UTF-8 at byte {}",
            error.utf8_error().valid_up_to()
        ))
    })?;
    Bindings::from_json(&text).map_err(|error| wrong(error.to_string()))
}
