//! Calls of the host: barriers. `memory` has replaced those that access objects.

use std::collections::HashSet;

use naga::{Barrier, Statement};

use super::kernel::Kernel;
use super::unsupported;
use super::writer::Expr;
use crate::compile::CompileError;
use crate::compile::ir::{Block, Cfg, Function, ObjectKind, Op, Value};
use crate::compile::structure::Placement;
use crate::module::{Host, HostFunction};

const fn is_barrier(function: HostFunction) -> bool {
    matches!(
        function,
        HostFunction::Numbered(Host::WorkgroupBarrier | Host::StorageBarrier)
    )
}

/// The headers of loops with a barrier.
pub(super) fn barrier_loops(
    function: &Function,
    cfg: &Cfg,
    placement: &Placement,
) -> HashSet<Block> {
    let mut found = HashSet::new();
    for &block in &cfg.order {
        let mut insts = function.block(block).insts.iter();
        let waits = |inst: &Value| matches!(function.op(*inst), Op::Host { function, .. } if is_barrier(*function));
        if !insts.any(waits) {
            continue;
        }
        let mut around = placement.nest.innermost(block);
        while let Some(header) = around
            && found.insert(header)
        {
            around = placement.nest.parent(header);
        }
    }
    found
}

impl Kernel<'_> {
    pub(super) fn host(
        &mut self,
        function: HostFunction,
        _args: &[Value],
    ) -> Result<Option<Expr>, CompileError> {
        if !is_barrier(function) {
            let feature = format!("the host function {function:?}");
            return Err(unsupported(self.function, feature));
        }
        let barrier = self.barrier();
        self.writer.statement(Statement::ControlBarrier(barrier));
        Ok(None)
    }

    /// Both barriers wait for all memory that the workgroup shares.
    fn barrier(&self) -> Barrier {
        let mut flags = Barrier::empty();
        for (object, &is_used) in self.scan.objects.iter().zip(&self.scan.is_used) {
            match object.kind {
                ObjectKind::Workgroup if is_used => flags |= Barrier::WORK_GROUP,
                ObjectKind::Binding { .. } | ObjectKind::State | ObjectKind::Pixels
                    if is_used && object.written =>
                {
                    flags |= Barrier::STORAGE;
                }
                _ => {}
            }
        }
        if flags.is_empty() {
            return Barrier::WORK_GROUP;
        }
        flags
    }
}
