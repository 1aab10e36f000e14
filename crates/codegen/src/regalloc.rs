//! Register allocation by regalloc2.
//!
//! In: a machine function, the registers of the target and a meter. Out: an allocation for each operand, with spill and
//! move edits. The backtracking allocator (Ion) takes time and memory in proportion to blocks times live ranges, with a
//! large factor. Where that is a large part of the meter's remaining steps, or more than its bytes, the single-pass
//! allocator (Fastalloc) is used, whose code keeps every value that is live across blocks on the stack.
//!
//! With debug assertions, regalloc2's checker validates each result; `check_reused_operands` validates the `Reuse`
//! constraints, which that checker ignores.

use anywarp_lanes::work::Meter;
use regalloc2::checker::Checker;
use regalloc2::{
    Algorithm, Allocation, Ctx, Function, Inst, MachineEnv, OperandConstraint, Output,
    RegallocOptions, run_with_ctx,
};

use crate::machine_function::MachineFunction;
use crate::pressure::{self, Pressure};
use crate::{Allocator, CompileError};

/// The largest stack frame in bytes; a thread may not have more.
const STACK_LIMIT: usize = 128 * 1024;

/// Steps of work of Ion for one live range in one block.
const ION_STEPS: u64 = 2;

/// Bytes that Ion takes for one word of its live-in and live-out sets, which are hash tables per block. Measured, table
/// growth included.
const ION_BYTES: u64 = 72;

/// Scans of block arguments in Ion that cost one step of work.
const PARAMETER_SCANS_PER_STEP: u64 = 32;

/// Estimated scans of block parameters in Ion above which parameters are numbered last; then Ion scans only parameters.
const MANY_PARAMETER_SCANS: u64 = 1 << 24;

/// Ion is used if its steps are at most the remaining steps divided by this number.
const ION_PART: u64 = 2;

/// Allocates registers. `memory` is a scratch context whose contents do not matter.
pub(crate) fn allocate(
    machine: &MachineFunction,
    env: &MachineEnv,
    memory: &mut Ctx,
    meter: &Meter,
) -> Result<(Output, Allocator), CompileError> {
    let mut pressure = pressure::measure(machine, meter)?;
    let renamed =
        (pressure.parameter_scans > MANY_PARAMETER_SCANS).then(|| machine.with_parameters_last());
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
        check_reused_operands(machine, &output)?;
    }
    Ok((output, allocator))
}

/// Chooses the best allocator that the meter and the stack limit permit.
fn choose(pressure: &Pressure, env: &MachineEnv, meter: &Meter) -> Result<Allocator, CompileError> {
    limit_stack(min_stack(pressure, env))?;
    let steps = pressure
        .live_ranges
        .saturating_mul(ION_STEPS)
        .saturating_add(pressure.parameter_scans / PARAMETER_SCANS_PER_STEP);
    let memory = meter.has_bytes(pressure.set_words.saturating_mul(ION_BYTES));
    // Fastalloc never reuses a spill slot.
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

/// A lower bound on spill bytes for any algorithm: all values live at one point, less the bytes of all registers if
/// each held the largest vector.
fn min_stack(pressure: &Pressure, env: &MachineEnv) -> usize {
    const LARGEST: usize = 64;
    let registers = env
        .preferred_regs_by_class
        .iter()
        .chain(&env.non_preferred_regs_by_class);
    let count: usize = registers.map(|set| set.into_iter().count()).sum();
    (pressure.max_words * 8).saturating_sub(count * LARGEST)
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

fn check_reused_operands(machine: &MachineFunction, output: &Output) -> Result<(), CompileError> {
    for inst in (0..machine.num_insts()).map(Inst::new) {
        let allocations: &[Allocation] = output.inst_allocs(inst);
        for (operand, allocation) in machine.inst_operands(inst).iter().zip(allocations) {
            if let OperandConstraint::Reuse(index) = operand.constraint()
                && allocations[index] != *allocation
            {
                let message = format!("operands of {inst:?} do not share a register");
                return Err(CompileError::Internal(message));
            }
        }
    }
    Ok(())
}
