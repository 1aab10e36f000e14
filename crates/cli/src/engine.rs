//! Engines that run programs on the CPU: parses `--engine` and describes how an entry point runs.
//!
//! In: the value of `--engine`, or a program. Out: the adapter's [`Engine`], or a description. An engine that this
//! CPU does not support is an error; there is no silent fallback.

use std::collections::HashMap;

use anywarp_adapter::{Engine, Target, exceeded_limit};
use anywarp_cpu::Kernel;
use anywarp_program::{EntryPoint, Program};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ValueEnum};

use crate::error::Error;
use anywarp::panics::catch_panic;

/// The values of `--engine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineChoice {
    /// The best machine code for this CPU; programs that cannot be compiled are interpreted
    #[value(alias = "fastest")]
    Code,
    /// The interpreter; for kernels in WebAssembly the one that GPUs run
    #[value(alias = "interpreter")]
    Interpret,
    /// Machine code with AVX-512: 16 lanes
    Avx512,
    /// Machine code with AVX2: 8 lanes
    Avx2,
    /// The virtual machine, for kernels in WebAssembly only
    Vm,
}

impl EngineChoice {
    /// `--engine` for commands that run shaders only: without the virtual machine.
    pub(crate) fn for_shaders(argument: Arg) -> Arg {
        let choices = [Self::Code, Self::Interpret, Self::Avx512, Self::Avx2];
        let named = choices.iter().filter_map(|choice| {
            let value = choice.to_possible_value()?;
            Some(match choice {
                Self::Interpret => value.help("The interpreter"),
                _ => value,
            })
        });
        let named: Vec<PossibleValue> = named.collect();
        let parser = PossibleValuesParser::from(named);
        argument
            .help("Engine that runs programs on the CPU [default: code]")
            .value_parser(parser.try_map(|text| Self::from_str(&text, false)))
    }

    /// The corresponding engine of the adapter.
    pub(crate) fn engine(self) -> Result<Engine, Error> {
        let code = |name, option, what| {
            let reason = || format!("this machine has no {what}, or there is no code for it");
            let missing = || Error::Argument {
                option,
                reason: reason(),
            };
            Target::named(name).map(Engine::Code).ok_or_else(missing)
        };
        match self {
            Self::Code => Ok(Engine::Fastest),
            Self::Interpret => Ok(Engine::Interpreter),
            Self::Avx512 => code("avx512", "--engine avx512", "AVX-512"),
            Self::Avx2 => code("avx2", "--engine avx2", "AVX2"),
            Self::Vm => Err(Error::Argument {
                option: "--engine vm",
                reason: "only for kernels in WebAssembly, not for shaders".to_owned(),
            }),
        }
    }
}

/// Describes how an entry point runs on the CPU by default, on a device with all features of the adapter; `None` if
/// the entry point does not run.
pub(crate) fn execution(
    program: &Program,
    point: &EntryPoint,
    limits: &wgpu::Limits,
) -> Option<String> {
    point.workgroup_size.as_ref()?;
    let made = catch_panic(|| {
        let program = program
            .specialize(point.stage, &point.name, &HashMap::new())
            .map_err(|_| "decided when its constants have values".to_owned())?;
        if let Some(limit) = exceeded_limit(&program, &point.name, limits) {
            return Err(format!("does not run: {limit}"));
        }
        let kernel =
            Kernel::new(&program, &point.name).map_err(|error| format!("does not run: {error}"))?;
        Ok(description(&kernel))
    });
    let text = made.unwrap_or_else(|panic| Err(format!("does not run: internal error: {panic}")));
    Some(text.unwrap_or_else(|text: String| text))
}

/// Describes how a kernel runs.
fn description(kernel: &Kernel) -> String {
    match kernel.code() {
        Ok(code) => {
            let target = code.target();
            let (name, lanes) = (target.name(), target.lanes());
            format!("machine code ({name}, {lanes} lanes)")
        }
        Err(reason) => format!("interpreted: {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(engine: Engine) -> anywarp_cpu::KernelOptions {
        anywarp_cpu::KernelOptions {
            engine,
            ..Default::default()
        }
    }

    #[test]
    fn the_two_executors_are_told_apart() {
        let text = "@compute @workgroup_size(64) fn main() {}";
        let program = Program::from_wgsl(text).unwrap();
        let interpreted =
            Kernel::with_options(&program, "main", engine(Engine::Interpreter)).unwrap();
        let text = description(&interpreted);
        assert_eq!(text, "interpreted: the interpreter was asked for");
        for target in Target::all() {
            let kernel =
                Kernel::with_options(&program, "main", engine(Engine::Code(target))).unwrap();
            let text = description(&kernel);
            let expected = format!("machine code ({}, ", target.name());
            assert!(
                text.starts_with(&expected) || kernel.code().is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn the_virtual_machine_runs_no_shaders() {
        assert!(EngineChoice::Vm.engine().is_err());
        assert_eq!(
            EngineChoice::Interpret.engine().unwrap(),
            Engine::Interpreter
        );
    }
}
