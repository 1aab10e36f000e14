//! `anywarp inspect` for a kernel module: its exports, imports and sizes.

use std::collections::BTreeMap;
use std::fmt::Write;

use anywarp_wasm::bytecode::{
    Bytecode, FunctionType, KernelBindings, Limits, ProgramBindings, Type, escape,
};
use serde::Serialize;

use super::interface::{Import, Interface};
use super::{Loaded, Opened, Recursion, Unlinked, launch, open};
use crate::cli::InspectArgs;
use crate::console;
use crate::error::Error;
use crate::inspect::code;

/// The JSON object that `--json` prints.
#[derive(Serialize)]
struct ModuleReport {
    file: String,
    kernels: Vec<KernelReport>,
    imports: Vec<String>,
    /// The imports that prevent the module from running, with the reason.
    unknown_imports: BTreeMap<String, String>,
    /// In pages of 64 KiB.
    memories: Vec<LimitsReport>,
    tables: Vec<LimitsReport>,
    file_bytes: usize,
    /// Left out if the module cannot be translated.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    bytecode: Option<BytecodeReport>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct BytecodeReport {
    functions: usize,
    code_bytes: usize,
    data_bytes: usize,
}

#[derive(Serialize)]
struct KernelReport {
    name: String,
    parameters: Vec<&'static str>,
    results: Vec<&'static str>,
    /// The buffers that it uses; left out if the module cannot be translated.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    buffers: Option<BufferReport>,
}

#[derive(Serialize)]
struct BufferReport {
    bindings: Vec<String>,
    /// Whether it also computes bindings at run time.
    bindings_are_open: bool,
}

impl BufferReport {
    fn new(bindings: &KernelBindings) -> Self {
        Self {
            bindings: launch::slots(bindings)
                .map(|slot| slot.to_string())
                .collect(),
            bindings_are_open: bindings.is_open,
        }
    }

    /// `0:0, 0:1, chosen at run time`; `None` without buffers.
    fn text(&self) -> String {
        let open = self.bindings_are_open.then_some("chosen at run time");
        let named = self.bindings.iter().map(String::as_str);
        named.chain(open).collect::<Vec<_>>().join(", ")
    }
}

#[derive(Serialize)]
struct LimitsReport {
    initial: u64,
    maximum: Option<u64>,
}

/// Runs the command. A module can be inspected although it is recursive or has unknown imports.
pub(crate) fn inspect(args: &InspectArgs) -> Result<(), Error> {
    code::check_absent(args)?;
    let (report, note) = match open(&args.file, Recursion::Allowed)? {
        Opened::Program(loaded) => (report(*loaded, args), None),
        Opened::Unlinked(module) => {
            let note = format!("note: {} cannot run: {}", module.name, module.reason);
            (unlinked(module), Some(note))
        }
    };
    if args.json {
        console::json(&report)?;
    } else {
        console::result(text(&report).trim_end())?;
    }
    if let Some(note) = note {
        console::note(&note);
    }
    Ok(())
}

fn report(loaded: Loaded, args: &InspectArgs) -> ModuleReport {
    let program = &loaded.bytecode;
    let limits = |list: &[Limits]| {
        let reports = list.iter().map(|limits| LimitsReport {
            initial: limits.initial.into(),
            maximum: limits.maximum.map(u64::from),
        });
        reports.collect()
    };
    let imports = Interface::new(&loaded.bytes).imports;
    ModuleReport {
        kernels: kernels(program),
        imports: names(imports),
        unknown_imports: BTreeMap::new(),
        memories: limits(&program.memories),
        tables: limits(&program.tables),
        file_bytes: loaded.bytes.len(),
        bytecode: Some(BytecodeReport {
            functions: program.functions.len(),
            code_bytes: 4 * program.code.len(),
            data_bytes: program.data.iter().map(Vec::len).sum(),
        }),
        // JSON output contains all of them.
        warnings: loaded.warning_lines(console::is_verbose() || args.json),
        file: loaded.name,
    }
}

/// The report of a module that cannot be translated, from its sections.
fn unlinked(module: Unlinked) -> ModuleReport {
    let interface = Interface::new(&module.bytes);
    let limits = |list: &[(u64, Option<u64>)]| {
        let reports = list
            .iter()
            .map(|&(initial, maximum)| LimitsReport { initial, maximum });
        reports.collect()
    };
    let exports = interface.exports().into_iter().map(|export| KernelReport {
        name: export.name,
        parameters: export.parameters,
        results: export.results,
        buffers: None,
    });
    let unknown = interface.imports.iter().filter_map(|import| {
        let fault = import.fault.clone()?;
        Some((import.name.clone(), fault))
    });
    ModuleReport {
        kernels: exports.collect(),
        unknown_imports: unknown.collect(),
        memories: limits(&interface.memories),
        tables: limits(&interface.tables),
        imports: names(interface.imports),
        file_bytes: module.bytes.len(),
        bytecode: None,
        warnings: Vec::new(),
        file: module.name,
    }
}

fn names(imports: Vec<Import>) -> Vec<String> {
    imports.into_iter().map(|import| import.name).collect()
}

fn kernels(program: &Bytecode) -> Vec<KernelReport> {
    let names = |types: &[Type]| types.iter().map(|&ty| ty.name()).collect();
    let mut bindings = ProgramBindings::new(program);
    program
        .exports
        .iter()
        .map(|export| {
            let FunctionType { params, results } = launch::signature(program, export);
            KernelReport {
                name: export.name.clone(),
                parameters: names(params),
                results: names(results),
                buffers: Some(BufferReport::new(&bindings.of(export))),
            }
        })
        .collect()
}

fn text(report: &ModuleReport) -> String {
    let mut text = format!("{}\n", report.file);
    for kernel in &report.kernels {
        let (parameters, results) = (kernel.parameters.join(", "), kernel.results.join(", "));
        let name = escape(&kernel.name);
        // Writing to a string cannot fail, here and below.
        let _ = if results.is_empty() {
            writeln!(text, "kernel `{name}`({parameters})")
        } else {
            writeln!(text, "kernel `{name}`({parameters}) -> {results}")
        };
        let buffers = kernel.buffers.as_ref().map(BufferReport::text);
        if let Some(buffers) = buffers.filter(|text| !text.is_empty()) {
            let _ = writeln!(text, "  buffers {buffers}");
        }
    }
    for import in &report.imports {
        let _ = write!(text, "import {}", escape(import));
        let _ = match report.unknown_imports.get(import) {
            Some(fault) => writeln!(text, " ({fault})"),
            None => writeln!(text),
        };
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
    let _ = write!(text, "{} bytes", report.file_bytes);
    if let Some(bytecode) = &report.bytecode {
        let BytecodeReport {
            functions,
            code_bytes: code,
            data_bytes: data,
        } = bytecode;
        let _ = write!(
            text,
            "; as bytecode {functions} functions, {code} bytes of code, {data} bytes of data"
        );
    }
    text.push('\n');
    for warning in &report.warnings {
        let _ = writeln!(text, "{warning}");
    }
    text
}
