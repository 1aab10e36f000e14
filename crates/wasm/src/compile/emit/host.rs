//! Calls of the host: barriers. `memory` has replaced those that access objects.

use std::collections::HashSet;

use naga::{Barrier, Statement};

use super::kernel::Kernel;
use super::unsupported;
use super::writer::Expr;
use crate::compile::CompileError;
use crate::compile::ir::{Block, Cfg, Dominators, Function, ObjectKind, Op, Terminator, Value};
use crate::compile::structure::Placement;
use crate::module::{Host, HostFunction};

const fn is_barrier(function: HostFunction) -> bool {
    matches!(
        function,
        HostFunction::Numbered(Host::WorkgroupBarrier | Host::StorageBarrier)
    )
}

fn has_barrier(function: &Function, block: Block) -> bool {
    let mut insts = function.block(block).insts.iter();
    insts.any(
        |&inst| matches!(function.op(inst), Op::Host { function, .. } if is_barrier(*function)),
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
        if !has_barrier(function, block) {
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

/// Refuses traps that end an invocation while others may go on to a barrier: they would wait for it. Passes make
/// [`Op::TrapIf`] of most traps, after which an invocation goes on without effects.
pub(super) fn check_traps(function: &Function, cfg: &Cfg) -> Result<(), CompileError> {
    let dominators = Dominators::new(function, cfg);
    let mut waits = vec![false; function.blocks.len()];
    let mut open: Vec<Block> = cfg
        .order
        .iter()
        .copied()
        .filter(|&block| has_barrier(function, block))
        .collect();
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut waits[block.0 as usize], true) {
            open.extend(cfg.predecessors(block));
        }
    }
    for &block in &cfg.order {
        if let Terminator::Trap { trap, .. } = function.block(block).terminator
            && let Some(above) = dominators.immediate(block)
            && waits[above.0 as usize]
        {
            let site = &function.traps[trap.0 as usize];
            return Err(CompileError::Unsupported {
                feature: "a trap on the way to a barrier".to_owned(),
                function: site.function.clone(),
                offset: site.offset,
            });
        }
    }
    Ok(())
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
