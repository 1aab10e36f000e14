//! The analysis of calls: which functions a kernel can reach, and what a call of each can do.
//!
//! In: a linked module and a kernel. Out: [`Calls`]. Sets of functions are propagated from callees
//! to callers by worklists. What always holds: recursion by direct calls is an error here; recursion
//! through a table is found by `inline`.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::summary::Summary;
use super::unsupported;
use crate::TranslateError;
use crate::compile::CompileError;
use crate::module::{
    self, CallSite, FunctionBody, FunctionId, Import, LinkedModule, Roots, is_rust_panic_entry,
};

/// What calls can do.
pub(super) struct Calls {
    /// The index in the module of each function.
    indices: HashMap<FunctionId, u32>,
    /// The host functions, by index in the module.
    imports: HashMap<u32, &'static Import>,
    /// Functions that never return and have no effect before they trap.
    traps: HashSet<FunctionId>,
    /// Functions that reach the host's `panic`.
    panics: HashSet<FunctionId>,
    /// Functions that set globals, themselves or by calls that return.
    sets_globals: HashSet<FunctionId>,
    /// Immutable tables with such functions.
    tables_set_globals: HashSet<u32>,
    /// The globals that a reachable function sets, by index in the module.
    pub globals: BTreeSet<u32>,
}

/// How calls are bound.
enum Callee {
    Host(&'static Import),
    Body(usize),
    OtherModule,
}

impl Calls {
    /// Analyses what a kernel calls.
    pub(super) fn new(linked: &LinkedModule<'_>, kernel: u32) -> Result<Self, CompileError> {
        let indices = (0..)
            .zip(&linked.functions)
            .map(|(index, &(id, _))| (id, index))
            .collect();
        let mut calls = Self {
            indices,
            imports: linked.host_imports.iter().copied().collect(),
            traps: HashSet::new(),
            panics: HashSet::new(),
            sets_globals: HashSet::new(),
            tables_set_globals: HashSet::new(),
            globals: BTreeSet::new(),
        };
        let root = linked.functions[kernel as usize].0;
        let summaries = calls.summarize(linked, root)?;
        calls.analyse(linked, root, &summaries)?;
        Ok(calls)
    }

    fn callee(&self, linked: &LinkedModule<'_>, function: u32) -> Callee {
        let imported = linked.functions.len() - linked.module.bodies.len();
        match (
            self.imports.get(&function),
            (function as usize).checked_sub(imported),
        ) {
            (Some(import), _) => Callee::Host(import),
            (None, Some(body)) => Callee::Body(body),
            (None, None) => Callee::OtherModule,
        }
    }

    /// The summaries of all functions that the kernel can reach.
    fn summarize(
        &self,
        linked: &LinkedModule<'_>,
        root: FunctionId,
    ) -> Result<HashMap<FunctionId, Summary>, CompileError> {
        let mut summaries = HashMap::new();
        let mut tables = HashSet::new();
        let mut seen = HashSet::from([root]);
        let mut work = vec![root];
        while let Some(id) = work.pop() {
            let Some(&function) = self.indices.get(&id) else {
                continue;
            };
            let summary = match self.callee(linked, function) {
                Callee::Host(import) => Summary::of_import(linked, function, import),
                Callee::Body(body) => {
                    let body = &linked.module.bodies[body];
                    Summary::of_body(linked, function, body).map_err(|error| {
                        unsupported(linked, function, error.offset(), error.message())
                    })?
                }
                Callee::OtherModule => continue,
            };
            for call in summary.calls() {
                match call {
                    CallSite::Direct(callee) | CallSite::Devirtualized(callee) => {
                        work.extend(seen.insert(callee).then_some(callee));
                    }
                    CallSite::Indirect { table, .. } if tables.insert(table) => {
                        let functions = linked.immutable_tables.get(&table);
                        let functions = functions.into_iter().flat_map(|table| table.values());
                        work.extend(functions.filter(|id| seen.insert(**id)));
                    }
                    CallSite::Indirect { .. } => {}
                }
            }
            summaries.insert(id, summary);
        }
        Ok(summaries)
    }

    fn analyse(
        &mut self,
        linked: &LinkedModule<'_>,
        root: FunctionId,
        summaries: &HashMap<FunctionId, Summary>,
    ) -> Result<(), CompileError> {
        let names = &linked.function_names;
        let address_taken = linked.address_taken.iter();
        let address_taken: Vec<_> = address_taken
            .map(|&function| linked.functions[function as usize].0)
            .collect();
        let graph = module::build(
            summaries,
            &Roots {
                entries: &[root],
                address_taken: &address_taken,
            },
            names,
        );
        graph
            .reject_recursion(summaries, names)
            .map_err(recursion)?;
        let name = |id: &FunctionId| names[summaries[id].name() as usize].as_str();
        let callers = callers(linked, summaries);
        let seeds = |holds: fn(&Summary) -> bool| -> Vec<FunctionId> {
            let found = summaries.iter().filter(|(_, summary)| holds(summary));
            found.map(|(&id, _)| id).collect()
        };
        self.panics = reaching(seeds(|summary| summary.panics), &callers, |_| true);
        // The way to Rust's panic handler runs code of the kernel only to format values.
        let effects = reaching(seeds(|summary| summary.has_effect), &callers, |id| {
            !is_rust_panic_entry(name(id))
        });
        self.traps = &graph.noreturn - &effects;
        // A kernel that never returns runs nevertheless.
        self.traps.remove(&root);
        let setters = seeds(|summary| !summary.sets.is_empty());
        self.sets_globals = reaching(setters, &callers, |id| !self.traps.contains(id));
        for (&table, functions) in &linked.immutable_tables {
            if functions.values().any(|id| self.sets_globals.contains(id)) {
                self.tables_set_globals.insert(table);
            }
        }
        let setting = self.sets_globals.iter();
        self.globals = setting
            .flat_map(|id| summaries[id].sets.iter().copied())
            .collect();
        Ok(())
    }

    /// Whether a call of the function is a trap: it never returns, and does nothing else that
    /// others can see.
    pub(super) fn is_trap(&self, id: FunctionId) -> bool {
        self.traps.contains(&id)
    }

    /// Whether the function can reach the host's `panic`.
    pub(super) fn panics(&self, id: FunctionId) -> bool {
        self.panics.contains(&id)
    }

    /// Whether a call of the function can set globals.
    pub(super) fn sets_globals(&self, id: FunctionId) -> bool {
        self.sets_globals.contains(&id)
    }

    /// Whether a call through an immutable table can set globals.
    pub(super) fn table_sets_globals(&self, table: u32) -> bool {
        self.tables_set_globals.contains(&table)
    }

    /// The index of a function in the module.
    pub(super) fn index(&self, id: FunctionId) -> Option<u32> {
        self.indices.get(&id).copied()
    }

    /// The host function that a function of the module is.
    pub(super) fn import(&self, function: u32) -> Option<&'static Import> {
        self.imports.get(&function).copied()
    }
}

/// The callers of each function. A call through a table calls all its functions of the type.
fn callers(
    linked: &LinkedModule<'_>,
    summaries: &HashMap<FunctionId, Summary>,
) -> HashMap<FunctionId, Vec<FunctionId>> {
    let mut of_type: HashMap<(u32, u32), BTreeSet<FunctionId>> = HashMap::new();
    for (&table, functions) in &linked.immutable_tables {
        for &id in functions.values() {
            if let Some(summary) = summaries.get(&id) {
                let key = (table, summary.type_index());
                of_type.entry(key).or_default().insert(id);
            }
        }
    }
    // A call through a table has a node of its own, so that edges stay as few as calls.
    let mut callers: HashMap<FunctionId, Vec<FunctionId>> = HashMap::new();
    let mut through: HashMap<(u32, u32), Vec<FunctionId>> = HashMap::new();
    for (&caller, summary) in summaries {
        let sites: HashSet<CallSite> = summary.calls().collect();
        for site in sites {
            match site {
                CallSite::Direct(callee) | CallSite::Devirtualized(callee) => {
                    callers.entry(callee).or_default().push(caller);
                }
                CallSite::Indirect { table, type_index } => {
                    through.entry((table, type_index)).or_default().push(caller);
                }
            }
        }
    }
    let mut node = FunctionId::MAX;
    for (key, from) in through {
        for callee in of_type.get(&key).into_iter().flatten() {
            callers.entry(*callee).or_default().push(node);
        }
        callers.insert(node, from);
        node -= 1;
    }
    callers
}

/// The functions that reach one of the seeds by calls, through functions that are admitted only.
fn reaching(
    seeds: Vec<FunctionId>,
    callers: &HashMap<FunctionId, Vec<FunctionId>>,
    admits: impl Fn(&FunctionId) -> bool,
) -> HashSet<FunctionId> {
    // A module of less than 4 GiB has fewer functions.
    let is_table = |id: &FunctionId| *id > FunctionId::MAX / 2;
    let mut found = HashSet::new();
    let mut work = seeds;
    while let Some(id) = work.pop() {
        if (is_table(&id) || admits(&id)) && found.insert(id) {
            work.extend(callers.get(&id).into_iter().flatten());
        }
    }
    found.retain(|id| !is_table(id));
    found
}

fn recursion(error: TranslateError) -> CompileError {
    let mut cycle = match error {
        TranslateError::Recursion { cycle } => cycle,
        error => vec![error.to_string()],
    };
    cycle.extend(cycle.first().cloned());
    CompileError::Recursion { cycle }
}
