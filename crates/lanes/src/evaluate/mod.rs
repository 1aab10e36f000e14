//! Evaluates functions, slowly and plainly: what code generators and passes are compared with.
//!
//! In: a function that keeps the rules of the form, and memory. Out: how each call ends, and what memory holds then. A
//! pointer is a space and the number of a word in it, and every access is checked: one that leaves its space is an
//! error that names the instruction, whatever a machine would have found there. That is how a missing check of bounds
//! is found. A budget of steps ends what does not end by itself.
//!
//! Functions may suspend ([`Terminator::Suspend`]), then every value lives on across the barrier; or resume
//! ([`Terminator::Resume`]), then only what is kept in the frame does.
//!
//! ```
//! use anywarp_lanes::evaluate::{Evaluator, Memory, Run};
//!
//! let function = anywarp_lanes::text::parse(
//!     "kernel lanes=8 frame=0 barriers=0
//!      b0:
//!        v0 = base buffer 0
//!        v1 = length 0
//!        v2 = word 0
//!        v3 = loadrow +0 v0, v2, limit v1
//!        v4 = vaddf v3, v3
//!        storerow +0 v0, v2, v4, limit v1
//!        return finished",
//! )?;
//! let mut memory = Memory::default();
//! memory.buffers.push(vec![1.5f32.to_bits(); 3]);
//! let mut budget = 100;
//! Evaluator::new(&function)?.run_workgroup(&Run::default(), 1, &mut memory, &mut budget)?;
//! assert_eq!(memory.buffers[0], [3.0f32.to_bits(); 3]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod machine;
mod memory;

use std::collections::BTreeMap;

pub use memory::Memory;

use crate::ir::{BlockId, Function, Inst, Outcome, Terminator, Value};
use crate::text;
use crate::verify::{VerifyError, verify};

use machine::Machine;
use memory::Datum;

/// What a run is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// `workgroup_id`.
    pub workgroup_id: [u32; 3],
    /// `num_workgroups`.
    pub workgroup_count: [u32; 3],
    /// Whether the run is to end.
    pub is_cancelled: bool,
}

/// Why a run could not go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The function breaks a rule of the form.
    #[error("the function breaks a rule: {0}")]
    Broken(#[from] VerifyError),
    /// An instruction did what it must not do.
    #[error("{place}: {message}")]
    Instruction {
        /// The block and the instruction.
        place: String,
        /// What it did.
        message: String,
    },
    /// The budget of steps is used up.
    #[error("the budget of steps is used up in {0}")]
    Budget(BlockId),
    /// Subgroups of a workgroup came to different barriers, or only some of them ended.
    #[error("subgroup {subgroup} ended with {found}, subgroup 0 with {expected}")]
    Diverged {
        /// The first that differs.
        subgroup: u32,
        /// How it ended.
        found: u32,
        /// How the first one ended.
        expected: u32,
    },
}

/// One subgroup between its calls.
#[derive(Clone, Debug)]
pub struct Subgroup {
    /// Its number in the workgroup.
    number: u32,
    /// The barrier at which it waits, or 0.
    barrier: u32,
    /// Where a function that suspends goes on.
    block: BlockId,
    /// What a function that suspends has computed.
    values: Vec<Option<Datum>>,
    /// The words of its frame.
    frame: Vec<u32>,
    /// What is kept in its frame, by offset.
    kept: BTreeMap<u32, Datum>,
    /// The lanes for which a function was called by another.
    participants: u32,
}

/// Evaluates one function, and those that it calls.
#[derive(Clone, Copy, Debug)]
pub struct Evaluator<'f> {
    function: &'f Function,
    callees: &'f [Function],
    /// Runs are cancelled when fewer steps than this are left.
    cancel_at: u64,
}

impl<'f> Evaluator<'f> {
    /// Of a function.
    ///
    /// # Errors
    ///
    /// If the function breaks a rule of the form.
    pub fn new(function: &'f Function) -> Result<Self, EvaluateError> {
        Self::with_callees(function, &[])
    }

    /// Of a function that calls others, by their numbers. They have the same frame.
    ///
    /// # Errors
    ///
    /// If one of the functions breaks a rule of the form.
    pub fn with_callees(
        function: &'f Function,
        callees: &'f [Function],
    ) -> Result<Self, EvaluateError> {
        verify(function)?;
        callees.iter().try_for_each(verify)?;
        Ok(Self {
            function,
            callees,
            cancel_at: 0,
        })
    }

    /// Cancels runs in the middle: when fewer steps than this are left of their budget. As on a CPU, polls see it,
    /// and so does a workgroup between two calls.
    pub fn cancel_when_below(self, steps: u64) -> Self {
        Self {
            cancel_at: steps,
            ..self
        }
    }

    /// A subgroup that has not begun.
    pub fn subgroup(&self, number: u32) -> Subgroup {
        let sizes = self.callees.iter().map(|it| it.frame_bytes);
        let frame_bytes = sizes.fold(self.function.frame_bytes, u32::max);
        Subgroup {
            number,
            barrier: 0,
            block: Function::ENTRY,
            values: vec![None; self.function.types.len()],
            frame: vec![0; frame_bytes as usize / 4],
            kept: BTreeMap::new(),
            participants: 0,
        }
    }

    /// Runs a subgroup from where it is to the end of its call.
    ///
    /// # Errors
    ///
    /// If an instruction leaves memory or the budget is used up.
    pub fn call(
        &self,
        run: &Run,
        memory: &mut Memory,
        subgroup: &mut Subgroup,
        budget: &mut u64,
    ) -> Result<Outcome, EvaluateError> {
        let mut machine = Machine {
            function: self.function,
            callees: self.callees,
            run,
            cancel_at: self.cancel_at,
            memory,
            subgroup,
        };
        let outcome = machine.call(budget)?;
        let is_barrier = (1..=self.function.barriers).contains(&outcome.0);
        subgroup.barrier = if is_barrier { outcome.0 } else { 0 };
        let entry = &self.function.block(Function::ENTRY).terminator;
        if matches!(entry, Terminator::Resume(_)) {
            subgroup.block = Function::ENTRY;
            subgroup.values.fill(None);
        }
        Ok(outcome)
    }

    /// Runs all subgroups of a workgroup to each barrier, one after another, until they end.
    ///
    /// # Errors
    ///
    /// If an instruction leaves memory, the budget is used up or the subgroups come to different barriers.
    pub fn run_workgroup(
        &self,
        run: &Run,
        subgroups: u32,
        memory: &mut Memory,
        budget: &mut u64,
    ) -> Result<Outcome, EvaluateError> {
        let mut subgroups: Vec<_> = (0..subgroups).map(|it| self.subgroup(it)).collect();
        loop {
            let mut first = None;
            for subgroup in &mut subgroups {
                if *budget < self.cancel_at {
                    return Ok(Outcome::cancelled(Outcome::UNPLACED));
                }
                let outcome = self.call(run, memory, subgroup, budget)?;
                if outcome != Outcome::FINISHED && outcome.is_last() {
                    return Ok(outcome);
                }
                let expected = *first.get_or_insert(outcome);
                if outcome != expected {
                    return Err(EvaluateError::Diverged {
                        subgroup: subgroup.number,
                        found: outcome.0,
                        expected: expected.0,
                    });
                }
            }
            if first.is_none_or(|it| it == Outcome::FINISHED) {
                return Ok(Outcome::FINISHED);
            }
        }
    }
}

/// Gives each value what an edge says.
fn pass_arguments(values: &mut [Option<Datum>], parameters: &[Value], arguments: &[Value]) {
    // All are read before the first is written, since they may exchange their places.
    let passed: Vec<_> = arguments.iter().map(|it| values[it.index()]).collect();
    for (parameter, datum) in parameters.iter().zip(passed) {
        values[parameter.index()] = datum;
    }
}

/// An error of an instruction.
fn failed(block: BlockId, index: usize, inst: &Inst, message: String) -> EvaluateError {
    EvaluateError::Instruction {
        place: text::place(block, index, inst),
        message,
    }
}
