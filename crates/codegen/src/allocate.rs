//! Registers for virtual registers, by regalloc2.
//!
//! Its backtracking allocator (Ion) takes time and memory in proportion to blocks times live ranges, with a large
//! factor. Where that is a large part of the steps that the meter has left, or more than its bytes, its single-pass
//! allocator (Fastalloc) is used, whose code keeps whatever is alive across blocks on the stack.
//!
//! Where debug assertions are on, its checker proves each result; what the checker does not look at (operands
//! that must share a register) is looked at here.

use anywarp_lanes::work::Meter;
use regalloc2::checker::Checker;
use regalloc2::{
    Algorithm, Allocation, Ctx, Function, Inst, MachineEnv, OperandConstraint, Output,
    RegallocOptions, run_with_ctx,
};

use crate::machine::Machine;
use crate::pressure::{self, Pressure};
use crate::{Allocator, CompileError};

/// More stack than that is not used: a thread may not have it.
const STACK_LIMIT: usize = 128 * 1024;

/// Steps of work that Ion takes for a live range in a block.
const ION_STEPS: u64 = 2;

/// Bytes that Ion takes for a word of the bit sets of live values: each block has a hash table for its beginning and one
/// for its end. Measured, the growth of the tables included.
const ION_BYTES: u64 = 72;

/// Looks at arguments of blocks that are one step of work.
const LOOKS_PER_STEP: u64 = 32;

/// Estimated scans of block parameters in Ion above which parameters are numbered last; then Ion scans only parameters.
const MANY_LOOKS: u64 = 1 << 24;

/// The part of the steps left that Ion takes without a second thought.
const ION_PART: u64 = 2;

/// Chooses registers. What `memory` holds in between is only memory.
pub(crate) fn allocate(
    machine: &Machine,
    env: &MachineEnv,
    memory: &mut Ctx,
    meter: &Meter,
) -> Result<(Output, Allocator), CompileError> {
    let mut pressure = pressure::measure(machine, meter)?;
    let renamed = (pressure.looks > MANY_LOOKS).then(|| machine.with_parameters_last());
    let machine = renamed.as_ref().unwrap_or(machine);
    if renamed.is_some() {
        pressure = pressure::measure(machine, meter)?;
    }
    let allocator = choose(&pressure, env, meter)?;
    let options = RegallocOptions {
        verbose_log: false,
        validate_ssa: cfg!(debug_assertions),
        algorithm: match allocator {
            Allocator::Backtracking => Algorithm::Ion,
            Allocator::SinglePass => Algorithm::Fastalloc,
        },
    };
    run_with_ctx(machine, env, &options, memory)
        .map_err(|error| CompileError::Internal(format!("no registers: {error}")))?;
    let output = std::mem::take(&mut memory.output);
    limit_stack(output.num_spillslots * 8)?;
    if cfg!(debug_assertions) {
        let mut checker = Checker::new(machine, env);
        checker.prepare(&output);
        checker
            .run()
            .map_err(|errors| CompileError::Internal(format!("wrong registers: {errors:?}")))?;
        check_shared(machine, &output)?;
    }
    Ok((output, allocator))
}

/// The best allocator that the meter and the stack permit.
fn choose(pressure: &Pressure, env: &MachineEnv, meter: &Meter) -> Result<Allocator, CompileError> {
    limit_stack(least_stack(pressure, env))?;
    let steps = pressure.live_ranges.saturating_mul(ION_STEPS);
    let steps = steps.saturating_add(pressure.looks / LOOKS_PER_STEP);
    let memory = meter.has_bytes(pressure.set_words.saturating_mul(ION_BYTES));
    // Fastalloc never uses a place on the stack again.
    let is_fast_possible = limit_stack(pressure.all_words * 8).is_ok();
    let is_ion_cheap = steps <= meter.steps_left() / ION_PART && memory.is_ok();
    if is_ion_cheap || !is_fast_possible {
        memory?;
        meter.tick(steps)?;
        return Ok(Allocator::Backtracking);
    }
    meter.tick(pressure.live_ranges)?;
    Ok(Allocator::SinglePass)
}

/// Bytes of stack that any algorithm takes: what is alive at once and has no register, if each held the largest vector.
fn least_stack(pressure: &Pressure, env: &MachineEnv) -> usize {
    const LARGEST: usize = 64;
    let registers = env.preferred_regs_by_class.iter();
    let registers = registers.chain(&env.non_preferred_regs_by_class);
    let count: usize = registers.map(|it| it.into_iter().count()).sum();
    (pressure.most_words * 8).saturating_sub(count * LARGEST)
}

fn limit_stack(bytes: usize) -> Result<(), CompileError> {
    if bytes > STACK_LIMIT {
        return Err(CompileError::Stack {
            bytes,
            limit: STACK_LIMIT,
        });
    }
    Ok(())
}

fn check_shared(machine: &Machine, output: &Output) -> Result<(), CompileError> {
    for inst in (0..machine.num_insts()).map(Inst::new) {
        let places: &[Allocation] = output.inst_allocs(inst);
        for (operand, place) in machine.inst_operands(inst).iter().zip(places) {
            if let OperandConstraint::Reuse(index) = operand.constraint()
                && places[index] != *place
            {
                let message = format!("operands of {inst:?} do not share a register");
                return Err(CompileError::Internal(message));
            }
        }
    }
    Ok(())
}
