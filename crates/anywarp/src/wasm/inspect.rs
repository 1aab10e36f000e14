//! `anywarp inspect` of a kernel module: what it exports, what it imports, and how large it is.

use std::fmt::Write;

use anywarp_wasm::bytecode::{Bytecode, FunctionType, Limits, Type, escape};
use serde::Serialize;
use wasmparser::{Parser, Payload};

use super::{Loaded, Recursion, launch, load};
use crate::cli::InspectArgs;
use crate::console;
use crate::error::Error;

/// The JSON object of `--json`.
#[derive(Serialize)]
struct ModuleReport {
    file: String,
    kernels: Vec<KernelReport>,
    imports: Vec<String>,
    /// In pages of 64 KiB.
    memories: Vec<LimitsReport>,
    tables: Vec<LimitsReport>,
    functions: usize,
    file_bytes: usize,
    code_bytes: usize,
    data_bytes: usize,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct KernelReport {
    name: String,
    parameters: Vec<&'static str>,
    results: Vec<&'static str>,
}

#[derive(Serialize)]
struct LimitsReport {
    initial: u32,
    maximum: Option<u32>,
}

/// Runs the command. Recursion is no reason not to look at a module.
pub(crate) fn inspect(args: &InspectArgs) -> Result<(), Error> {
    let report = report(load(&args.file, Recursion::Allowed)?, args);
    match args.json {
        true => console::json(&report),
        false => console::result(text(&report).trim_end()),
    }
}

fn report(loaded: Loaded, args: &InspectArgs) -> ModuleReport {
    let program = &loaded.bytecode;
    let limits = |list: &[Limits]| {
        let reports = list.iter().map(|limits| LimitsReport {
            initial: limits.initial,
            maximum: limits.maximum,
        });
        reports.collect()
    };
    ModuleReport {
        kernels: kernels(program),
        imports: imports(&loaded.bytes),
        memories: limits(&program.memories),
        tables: limits(&program.tables),
        functions: program.functions.len(),
        file_bytes: loaded.bytes.len(),
        code_bytes: 4 * program.code.len(),
        data_bytes: program.data.iter().map(Vec::len).sum(),
        // Programs get them all.
        warnings: loaded.warning_lines(args.verbose || args.json),
        file: loaded.name,
    }
}

fn kernels(program: &Bytecode) -> Vec<KernelReport> {
    let names = |types: &[Type]| types.iter().map(|&ty| ty.name()).collect();
    let exports = program.exports.iter();
    exports
        .map(|export| {
            let FunctionType { params, results } = launch::signature(program, export);
            KernelReport {
                name: export.name.clone(),
                parameters: names(params),
                results: names(results),
            }
        })
        .collect()
}

/// `module.name` of every import; bytecode has none.
fn imports(bytes: &[u8]) -> Vec<String> {
    let sections = Parser::new(0).parse_all(bytes).map_while(Result::ok);
    let imports = sections.filter_map(|payload| match payload {
        Payload::ImportSection(section) => Some(section),
        _ => None,
    });
    let imports = imports.flat_map(|section| section.into_imports().map_while(Result::ok));
    imports
        .map(|import| format!("{}.{}", import.module, import.name))
        .collect()
}

fn text(report: &ModuleReport) -> String {
    let mut text = format!("{}\n", report.file);
    for kernel in &report.kernels {
        let (parameters, results) = (kernel.parameters.join(", "), kernel.results.join(", "));
        let name = escape(&kernel.name);
        // Writing to a string cannot fail, here and below.
        let _ = match results.is_empty() {
            true => writeln!(text, "kernel `{name}`({parameters})"),
            false => writeln!(text, "kernel `{name}`({parameters}) -> {results}"),
        };
    }
    for import in &report.imports {
        let _ = writeln!(text, "import {}", escape(import));
    }
    for (what, unit, list) in [
        ("memory", "pages", &report.memories),
        ("table", "elements", &report.tables),
    ] {
        for (number, limits) in list.iter().enumerate() {
            let maximum = match limits.maximum {
                Some(maximum) => format!(", at most {maximum}"),
                None => String::new(),
            };
            let _ = writeln!(text, "{what} {number}: {} {unit}{maximum}", limits.initial);
        }
    }
    let (functions, code, data) = (report.functions, report.code_bytes, report.data_bytes);
    let _ = writeln!(
        text,
        "{} bytes; as bytecode {functions} functions, {code} bytes of code, {data} bytes of data",
        report.file_bytes
    );
    for warning in &report.warnings {
        let _ = writeln!(text, "{warning}");
    }
    text
}
