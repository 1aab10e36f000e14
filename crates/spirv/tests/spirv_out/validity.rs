//! The output of the SPIR-V writer passes spirv-val, for each version of SPIR-V.

use std::io::{Write, stderr};
use std::panic::{AssertUnwindSafe, catch_unwind};

use anywarp_program::{Program, naga, panic_message};
use anywarp_spirv::{Discard, SpirvOptions, write_spirv};
use naga::back::spv;

use crate::spirv_out::cases::is_refused_rightly;
use crate::spirv_out::corpus::{self, Input};
use crate::spirv_out::validator::{TARGETS, Validator};

/// The output of naga's writer alone, with overrides at their defaults, as it requires.
fn naga_alone(program: &Program, version: (u8, u8)) -> Result<Vec<u32>, String> {
    let write = || {
        let constants = Default::default();
        let (module, info) = naga::back::pipeline_constants::process_overrides(
            program.module(),
            program.info(),
            None,
            &constants,
        )
        .map_err(|error| error.to_string())?;
        let options = spv::Options {
            lang_version: version,
            ..Default::default()
        };
        spv::write_vec(&module, &info, &options, None).map_err(|error| error.to_string())
    };
    catch_unwind(AssertUnwindSafe(write))
        .unwrap_or_else(|panic| Err(format!("panic: {}", panic_message(&*panic))))
}

fn ours(program: &Program, options: &SpirvOptions) -> Result<Vec<u32>, String> {
    write_spirv(program, options).map_err(|error| error.to_string())
}

fn options(version: (u8, u8)) -> SpirvOptions {
    let mut options = SpirvOptions::default();
    options.version = version;
    options
}

/// The target environment of spirv-val. A program without entry points is a library, which the Vulkan environments
/// reject.
fn environment(input: &Input, version: (u8, u8), vulkan: &str) -> String {
    if input.program.module().entry_points.is_empty() {
        format!("spv{}.{}", version.0, version.1)
    } else {
        vulkan.to_owned()
    }
}

fn all_valid(inputs: &[Input], write: impl Fn(&Program, (u8, u8)) -> Result<Vec<u32>, String>) {
    let Some(validator) = Validator::find() else {
        return;
    };
    let mut faults = Vec::new();
    for (version, vulkan) in TARGETS {
        for input in inputs {
            let environment = environment(input, *version, vulkan);
            let name = format!("{} at {environment}", input.name);
            match write(&input.program, *version) {
                Ok(words) => {
                    let checked = validator.check(&words, &environment);
                    faults.extend(checked.err().map(|error| format!("{name}: {error}")));
                }
                Err(error) if is_refused_rightly(&error) => {}
                Err(error) => faults.push(format!("{name}: not written: {error}")),
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n\n")
    );
}

#[test]
fn every_construct_is_valid_at_every_version() {
    all_valid(&corpus::constructs(), |program, version| {
        ours(program, &options(version))
    });
}

#[test]
fn every_construct_is_valid_with_every_option() {
    all_valid(&corpus::constructs(), |program, version| {
        let mut options = options(version);
        (options.flip_y, options.debug_names, options.discard) = (true, false, Discard::Demote);
        options.check_bounds = true;
        ours(program, &options)
    });
}

#[test]
fn every_file_of_the_repository_is_valid() {
    all_valid(&corpus::repository(), |program, version| match version {
        (1, 0 | 3 | 6) => ours(program, &options(version)),
        _ => Err("a subgroup operation needs SPIR-V 1.3".to_owned()),
    });
}

/// Prints the table of docs/spirv-out.md: run with `--ignored --nocapture`.
#[test]
#[ignore = "prints a table"]
fn naga_alone_and_repaired() {
    let Some(validator) = Validator::find() else {
        return;
    };
    let mut rows = Vec::new();
    for (name, inputs) in [
        ("constructs", corpus::constructs()),
        ("repository", corpus::repository()),
    ] {
        for (version, vulkan) in TARGETS {
            let valid = |write: &dyn Fn(&Program) -> Result<Vec<u32>, String>| {
                let is_valid = |input: &&Input| {
                    let environment = environment(input, *version, vulkan);
                    let words = write(&input.program);
                    words.is_ok_and(|words| validator.check(&words, &environment).is_ok())
                };
                inputs.iter().filter(is_valid).count()
            };
            let alone = valid(&|program| naga_alone(program, *version));
            let repaired = valid(&|program| ours(program, &options(*version)));
            let (major, minor, all) = (version.0, version.1, inputs.len());
            rows.push(format!(
                "| {name} | {major}.{minor} | {all} | {alone} | {repaired} |\n"
            ));
        }
    }
    let _ = stderr().write_all(rows.concat().as_bytes());
}
