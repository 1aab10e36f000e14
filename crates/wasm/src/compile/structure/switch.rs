//! Switches. Control falls out of a case; a loop cannot be left from it directly.

use super::placement::distinct_edges;
use super::tree::{Builder, Flow, Scope, Task};
use super::{Case, Item};
use crate::compile::CompileError;
use crate::compile::ir::{Block, Edge, Terminator, Value};

/// A switch that is being built.
pub(super) struct Switch<'a> {
    index: Value,
    /// The edges that remain, the default first.
    edges: std::vec::IntoIter<(&'a Edge, Vec<u32>)>,
    /// The values of the case that is open.
    values: Option<Vec<u32>>,
    cases: Vec<Case>,
    /// Whether control leaves a case.
    flow: Flow,
}

impl<'a> Builder<'a> {
    pub(super) fn switch(&mut self, block: Block) -> Result<(), CompileError> {
        let function = self.function;
        let terminator = &function.block(block).terminator;
        let edges = distinct_edges(terminator);
        if let [(edge, _)] = edges[..] {
            return self.edge(edge);
        }
        let Terminator::Switch { index, .. } = *terminator else {
            return Ok(());
        };
        self.scopes.push(Scope::Switch { check: None });
        self.cases(Switch {
            index,
            edges: edges.into_iter(),
            values: None,
            cases: Vec::new(),
            flow: Flow::Ends,
        })
    }

    pub(super) fn cases(&mut self, mut switch: Switch<'a>) -> Result<(), CompileError> {
        if let Some(values) = switch.values.take() {
            let body = self.close_body();
            switch.cases.push(Case { values, body });
            if self.flow == Flow::Falls {
                switch.flow = Flow::Falls;
            }
        }
        if let Some((edge, values)) = switch.edges.next() {
            switch.values = Some(values);
            self.tasks.push(Task::Cases(switch));
            self.open_body();
            return self.edge(edge);
        }
        let default = switch.cases.remove(0).body;
        self.push(Item::Switch {
            index: switch.index,
            cases: switch.cases,
            default,
        });
        if let Some(Scope::Switch { check: Some(flag) }) = self.scopes.pop() {
            self.push(Item::BreakIf(flag));
        }
        self.flow = switch.flow;
        Ok(())
    }
}
