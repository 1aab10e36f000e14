//! The report of a benchmark run, as `--json` writes it.

use std::num::NonZero;
use std::thread::available_parallelism;

use anywarp_adapter::{AdapterOptions, Target};
use serde::Serialize;

use super::compile::CompileRow;
use super::contender::{Contender, Role};
use super::measure::{Row, Scope};

#[derive(Serialize)]
pub(super) struct Report {
    pub(super) version: &'static str,
    /// `release`, or `debug`: then the figures mean nothing.
    pub(super) profile: &'static str,
    pub(super) cpu: String,
    pub(super) threads: usize,
    pub(super) runs: u32,
    /// `full` or `small`.
    pub(super) size: &'static str,
    pub(super) contenders: Vec<ContenderReport>,
    pub(super) rows: Vec<Row>,
    pub(super) compile: Vec<CompileRow>,
}

#[derive(Serialize)]
pub(super) struct ContenderReport {
    pub(super) label: String,
    pub(super) description: String,
    #[serde(skip)]
    pub(super) has_column: bool,
    #[serde(skip)]
    pub(super) is_driver: bool,
    /// Whether it is the wgpu counterpart of the bare engine.
    #[serde(skip)]
    pub(super) is_best_code: bool,
}

impl Report {
    /// A report without measurements.
    pub(super) fn new(contenders: &[Contender], runs: u32, scope: Scope) -> Self {
        let ours = anywarp_adapter::adapter(AdapterOptions::default());
        Self {
            version: env!("CARGO_PKG_VERSION"),
            profile: if cfg!(debug_assertions) {
                "debug"
            } else {
                "release"
            },
            cpu: ours.get_info().name,
            threads: available_parallelism().map_or(1, NonZero::get),
            runs,
            size: match scope {
                Scope::Whole => "full",
                Scope::Quick => "small",
            },
            contenders: contenders.iter().map(contender).collect(),
            rows: Vec::new(),
            compile: Vec::new(),
        }
    }
}

fn contender(contender: &Contender) -> ContenderReport {
    ContenderReport {
        label: contender.label.clone(),
        description: contender.description.clone(),
        has_column: !matches!(contender.role, Role::Bare(_)),
        is_driver: contender.role == Role::Driver,
        is_best_code: Target::detect().is_some_and(|best| contender.role == Role::Code(best)),
    }
}
