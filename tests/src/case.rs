//! A conformance case: a small program with its inputs and expected outputs.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::directive::{self, Header};
use crate::executor::{Dispatch, Executor, ExecutorName};
use crate::expectation::{Mismatch, mismatches};
use crate::feature::Feature;

/// A program of the conformance folder.
#[derive(Clone, Debug)]
pub struct Case {
    name: String,
    wgsl: String,
    header: Header,
}

/// A case file that cannot be used.
#[derive(Debug)]
pub struct CaseError(String);

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CaseError {}

impl Case {
    /// Reads a case from its text; messages name `name`.
    pub fn parse(name: &str, wgsl: &str) -> Result<Self, CaseError> {
        let header = directive::parse(wgsl)
            .map_err(|error| CaseError(format!("{name}:{}: {}", error.line, error.message)))?;
        Ok(Self {
            name: name.to_owned(),
            wgsl: wgsl.to_owned(),
            header,
        })
    }

    /// Its path inside the folder, such as `operators/i32_divide.wgsl`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The features that it needs beyond the core of WebGPU.
    pub fn needs(&self) -> &[&'static Feature] {
        &self.header.needs
    }

    /// Whether an executor skips this case: by name, or because a feature is missing.
    pub fn is_left_out_by(&self, executor: &dyn Executor) -> bool {
        let size = self.header.subgroup_size;
        !self.runs_on(executor.name())
            || self.needs().iter().any(|f| executor.leaves_out(f))
            || size.is_some_and(|size| !executor.has_subgroups_of(size))
    }

    /// Whether the executor with this name runs this case.
    pub fn runs_on(&self, executor: ExecutorName) -> bool {
        let skipped = self
            .header
            .deviations
            .iter()
            .any(|deviation| deviation.executor == executor && deviation.instead.is_none());
        !skipped && (self.header.fails.is_none() || executor.reports_faults())
    }

    /// The dispatch that this case describes.
    pub fn dispatch(&self) -> Dispatch {
        Dispatch {
            name: self.name.clone(),
            wgsl: self.wgsl.clone(),
            needs: self.header.needs.clone(),
            subgroup_size: self.header.subgroup_size,
            entry: self.header.entry.clone(),
            constants: self.header.constants.clone(),
            immediates: self.header.immediates.clone(),
            workgroups: self.header.workgroups,
            bindings: self.header.bindings.clone(),
            memory: self.header.inputs.clone(),
        }
    }

    /// Runs the case; returns the mismatches as lines.
    pub fn check(&self, executor: &dyn Executor) -> Vec<String> {
        match (executor.run(&self.dispatch()), &self.header.fails) {
            (Ok(memory), None) => self
                .wrong_words(executor.name(), &memory)
                .iter()
                .map(Mismatch::to_string)
                .collect(),
            (Ok(_), Some(message)) => {
                vec![format!("ended well, expected to fail with {message:?}")]
            }
            (Err(error), Some(message)) if error.0.contains(message.as_str()) => Vec::new(),
            (Err(error), Some(message)) => {
                vec![format!("failed with {:?}, expected {message:?}", error.0)]
            }
            (Err(error), None) => vec![format!("failed: {error}")],
        }
    }

    /// A buffer may contain what the rule requires or what the executor is known to give instead, so that a fixed
    /// driver also passes.
    fn wrong_words(&self, executor: ExecutorName, memory: &crate::Memory) -> Vec<Mismatch> {
        let mut wrong = Vec::new();
        for (slot, expectations) in &self.header.outputs {
            let check =
                |expectations| mismatches(*slot, expectations, &memory[slot], &self.header.inputs);
            let usual = check(expectations);
            let known = self
                .header
                .deviations
                .iter()
                .filter(|deviation| deviation.executor == executor)
                .filter_map(|deviation| deviation.instead.as_ref())
                .any(|(at, instead)| at == slot && check(instead).is_empty());
            if !known {
                wrong.extend(usual);
            }
        }
        wrong
    }
}

/// Reads every case of a folder of feature groups, sorted by name.
pub fn load_folder(folder: &Path) -> Result<Vec<Case>, CaseError> {
    let read = |error: io::Error| CaseError(format!("{}: {error}", folder.display()));
    let mut paths = Vec::new();
    for family in fs::read_dir(folder).map_err(read)? {
        let family = family.map_err(read)?.path();
        if family.is_dir() {
            for file in fs::read_dir(family).map_err(read)? {
                paths.push(file.map_err(read)?.path());
            }
        }
    }
    paths.sort();
    paths.iter().map(|path| load(folder, path)).collect()
}

fn load(folder: &Path, path: &PathBuf) -> Result<Case, CaseError> {
    let name = path
        .strip_prefix(folder)
        .unwrap_or(path)
        .display()
        .to_string();
    if path.extension().is_none_or(|extension| extension != "wgsl") {
        return Err(CaseError(format!("{name} is not a .wgsl file")));
    }
    let text = fs::read_to_string(path).map_err(|error| CaseError(format!("{name}: {error}")))?;
    Case::parse(&name, &text)
}
