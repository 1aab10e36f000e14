//! A reference interpreter of the vector IR, with which tests compare passes and code generators.
//!
//! In: a verified function and memory. Out: the outcome of each call, and the memory after it. A pointer is a memory
//! and a word index. Every access is bounds-checked: an access out of bounds is an error that names the instruction,
//! even if the real memory behind it would exist. This finds missing bounds checks. A budget of steps ends functions
//! that do not terminate.
//!
//! A function that suspends ([`Terminator::Suspend`]) keeps all its values across a barrier. A function that resumes
//! ([`Terminator::Resume`]) keeps only its frame.
//!
//! ```
//! use anywarp_lanes::evaluate::{Evaluator, Memory, WorkgroupInputs};
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
//! Evaluator::new(&function)?.run_workgroup(&WorkgroupInputs::default(), 1, &mut memory, &mut budget)?;
//! assert_eq!(memory.buffers[0], [3.0f32.to_bits(); 3]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod activation;
mod error;
mod memory;

use std::collections::BTreeMap;

pub use error::{EvaluateError, InstructionError};
pub use memory::{Memory, MemoryRegion};

use crate::ir::{BlockId, CallOutcome, Function, Terminator, Value};
use crate::verify::verify;

use activation::Activation;
use memory::RuntimeValue;

/// The built-in values of a workgroup, and the cancel flag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkgroupInputs {
    /// `workgroup_id`.
    pub workgroup_id: [u32; 3],
    /// `num_workgroups`.
    pub workgroup_count: [u32; 3],
    /// The cancel flag: whether polls end the run.
    pub is_cancelled: bool,
}

/// The state of one subgroup between its calls.
#[derive(Clone, Debug)]
pub struct Subgroup {
    /// Its number in the workgroup.
    number: u32,
    /// The barrier at which it waits, or 0.
    barrier: u32,
    /// The block where a function that suspends resumes.
    block: BlockId,
    /// The values of a function that suspends.
    values: Vec<Option<RuntimeValue>>,
    /// The words of its frame.
    frame: Vec<u32>,
    /// The values in its frame slots, by offset.
    slots: BTreeMap<u32, RuntimeValue>,
    /// The active lanes of a callee.
    participants: u32,
}

/// Evaluates one function, and those that it calls.
#[derive(Clone, Copy, Debug)]
pub struct Evaluator<'f> {
    function: &'f Function,
    callees: &'f [Function],
    /// Runs are cancelled when the budget has fewer steps left than this.
    cancel_at: u64,
}

impl<'f> Evaluator<'f> {
    /// An evaluator of a function without callees.
    ///
    /// # Errors
    ///
    /// If the function does not pass the verifier.
    pub fn new(function: &'f Function) -> Result<Self, EvaluateError> {
        Self::with_callees(function, &[])
    }

    /// An evaluator of a function and its callees, by their numbers. They share the frame.
    ///
    /// # Errors
    ///
    /// If one of the functions does not pass the verifier.
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

    /// Cancels runs when their budget has fewer than this many steps left. As in machine code, the cancellation takes
    /// effect at the next poll, or between two calls.
    pub fn cancel_when_below(self, steps: u64) -> Self {
        Self {
            cancel_at: steps,
            ..self
        }
    }

    /// A subgroup before its first call.
    pub fn subgroup(&self, number: u32) -> Subgroup {
        let sizes = self.callees.iter().map(|callee| callee.frame_bytes);
        let frame_bytes = sizes.fold(self.function.frame_bytes, u32::max);
        Subgroup {
            number,
            barrier: 0,
            block: Function::ENTRY,
            values: vec![None; self.function.types.len()],
            frame: vec![0; frame_bytes as usize / 4],
            slots: BTreeMap::new(),
            participants: 0,
        }
    }

    /// Makes one call: runs a subgroup to the next barrier or to its end.
    ///
    /// # Errors
    ///
    /// If an access is out of bounds or the budget is used up.
    pub fn call(
        &self,
        run: &WorkgroupInputs,
        memory: &mut Memory,
        subgroup: &mut Subgroup,
        budget: &mut u64,
    ) -> Result<CallOutcome, EvaluateError> {
        let mut machine = Activation {
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

    /// Runs a workgroup: all subgroups, one after another, to each barrier in turn, until they finish.
    ///
    /// # Errors
    ///
    /// If an access is out of bounds, the budget is used up or the subgroups reach different barriers.
    pub fn run_workgroup(
        &self,
        run: &WorkgroupInputs,
        subgroups: u32,
        memory: &mut Memory,
        budget: &mut u64,
    ) -> Result<CallOutcome, EvaluateError> {
        let mut subgroups: Vec<_> = (0..subgroups).map(|number| self.subgroup(number)).collect();
        loop {
            let mut first = None;
            for subgroup in &mut subgroups {
                if *budget < self.cancel_at {
                    return Ok(CallOutcome::cancelled(CallOutcome::OUTSIDE_LOOPS));
                }
                let outcome = self.call(run, memory, subgroup, budget)?;
                if outcome != CallOutcome::FINISHED && outcome.is_last() {
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
            if first.is_none_or(|outcome| outcome == CallOutcome::FINISHED) {
                return Ok(CallOutcome::FINISHED);
            }
        }
    }
}

/// Assigns the arguments of an edge to the parameters of its target (a parallel copy).
fn pass_arguments(values: &mut [Option<RuntimeValue>], parameters: &[Value], arguments: &[Value]) {
    // All are read before the first is written, since arguments may be parameters of the same block.
    let passed: Vec<_> = arguments
        .iter()
        .map(|argument| values[argument.index()])
        .collect();
    for (parameter, value) in parameters.iter().zip(passed) {
        values[parameter.index()] = value;
    }
}
