//! `anywarp inspect --ir[=STAGE]` and `--asm`: the vector IR and the machine code of a compute entry point.
//!
//! In: a program and the options of the command. Out: for the entry point and each function that it calls, the IR at the stage that was asked for, and its disassembly. What always holds: the text comes from the
//! compilation that a run of the program would make, with contracted floats and the default limits.

use std::fmt::{self, Write};

use anywarp_cpu::{
    Code, IrFunction, IrStage, Kernel, KernelError, KernelOptions, Observer, pass_names,
};

use crate::cli::InspectArgs;
use crate::engine::EngineChoice;
use crate::error::{Error, listing};
use crate::input::Input;
use crate::run::entry::{self, Chosen};

/// The stages of the IR that are not passes.
const LOWERED: &str = "lowered";
const FINAL: &str = "final";

/// Whether the options ask for IR or code; an error if they only make sense with these.
pub(super) fn is_requested(args: &InspectArgs) -> Result<bool, Error> {
    if args.ir.is_some() || args.asm {
        return Ok(true);
    }
    let given = [
        ("--entry", args.entry.is_some()),
        ("--engine", args.engine.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Error::Argument {
            option,
            reason: "only with --ir or --asm".to_owned(),
        }),
        None => Ok(false),
    }
}

/// An error if the options ask for IR or code, which kernels in WebAssembly do not have.
pub(crate) fn check_absent(args: &InspectArgs) -> Result<(), Error> {
    let option = if args.ir.is_some() { "--ir" } else { "--asm" };
    if is_requested(args)? {
        return Err(Error::Argument {
            option,
            reason: "only for shaders, not for kernels in WebAssembly".to_owned(),
        });
    }
    Ok(())
}

/// The IR and the code that the options ask for.
pub(super) fn listings(input: &Input, args: &InspectArgs) -> Result<String, Error> {
    if let Some(stage) = &args.ir {
        check_stage(stage)?;
    }
    let Chosen { name, program, .. } = entry::choose(input, args.entry.as_deref(), &[])?;
    let options = KernelOptions {
        engine: args.engine.unwrap_or(EngineChoice::Code).engine()?,
        ..KernelOptions::default()
    };
    let mut listing = Listing {
        entry_point: &name,
        stage: args.ir.as_deref(),
        has_code: args.asm,
        text: String::new(),
    };
    let no_code = |reason: &dyn fmt::Display| Error::NoMachineCode {
        file: input.name.clone(),
        entry: name.clone(),
        reason: reason.to_string(),
    };
    let kernel = Kernel::with_observer(&program, &name, options, &mut listing)
        .map_err(|error: KernelError| no_code(&error))?;
    kernel.code().map_err(|reason| no_code(reason))?;
    Ok(listing.text)
}

/// Rejects a name that is neither a pass nor another stage.
fn check_stage(stage: &str) -> Result<(), Error> {
    let mut names = Vec::new();
    for name in [LOWERED].into_iter().chain(pass_names()).chain([FINAL]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.contains(&stage) {
        return Ok(());
    }
    Err(Error::Argument {
        option: "--ir",
        reason: format!(
            "`{stage}` is not a pass or stage; there are {}",
            listing(names.iter().map(|name| format!("`{name}`")))
        ),
    })
}

/// Collects texts during a compilation.
struct Listing<'a> {
    entry_point: &'a str,
    /// The stage of the IR to collect.
    stage: Option<&'a str>,
    /// Whether to collect machine code.
    has_code: bool,
    text: String,
}

impl Listing<'_> {
    /// Appends a text with a title.
    fn add(&mut self, callee: Option<usize>, title: fmt::Arguments<'_>, text: &dyn fmt::Display) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        // Writing to a string cannot fail.
        let _ = write!(self.text, "; entry point `{}`", self.entry_point);
        if let Some(number) = callee {
            let _ = write!(self.text, ", function {number}");
        }
        let _ = writeln!(self.text, ": {title}");
        let text = text.to_string();
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }
}

impl Observer for Listing<'_> {
    fn ir(&mut self, stage: IrStage, callee: Option<usize>, function: &IrFunction) {
        if stage == IrStage::Lowered && callee.is_none() {
            // Compiled again with calls instead of inlining: only the last attempt counts.
            self.text.clear();
        }
        let name = match stage {
            IrStage::Lowered => LOWERED,
            IrStage::Pass(name) => name,
            IrStage::Final => FINAL,
            _ => return,
        };
        if self.stage != Some(name) {
            return;
        }
        let after = match stage {
            IrStage::Lowered => "lowering",
            IrStage::Final => "all passes",
            _ => name,
        };
        self.add(callee, format_args!("IR after {after}"), function);
    }

    fn code(&mut self, callee: Option<usize>, code: &Code) {
        if self.has_code {
            let target = code.target().name();
            let title = format_args!("machine code for {target}");
            self.add(callee, title, &code.disassembly());
        }
    }
}
