//! Registers for virtual registers, by regalloc2.
//!
//! Where debug assertions are on, its checker proves each result; what the checker does not look at (operands
//! that must share a register) is looked at here.

use regalloc2::checker::Checker;
use regalloc2::{
    Algorithm, Allocation, Ctx, Function, Inst, MachineEnv, OperandConstraint, Output,
    RegallocOptions, run_with_ctx,
};

use crate::CompileError;
use crate::machine::Machine;

/// More stack than that is not used: a thread may not have it.
const STACK_LIMIT: usize = 128 * 1024;

/// Chooses registers. What `memory` holds in between is only memory.
pub(crate) fn allocate(
    machine: &Machine,
    env: &MachineEnv,
    memory: &mut Ctx,
) -> Result<Output, CompileError> {
    let options = RegallocOptions {
        verbose_log: false,
        validate_ssa: cfg!(debug_assertions),
        algorithm: Algorithm::Ion,
    };
    run_with_ctx(machine, env, &options, memory)
        .map_err(|error| CompileError::Internal(format!("no registers: {error}")))?;
    let output = std::mem::take(&mut memory.output);
    let bytes = output.num_spillslots * 8;
    if bytes > STACK_LIMIT {
        return Err(CompileError::Stack {
            bytes,
            limit: STACK_LIMIT,
        });
    }
    if cfg!(debug_assertions) {
        let mut checker = Checker::new(machine, env);
        checker.prepare(&output);
        checker
            .run()
            .map_err(|errors| CompileError::Internal(format!("wrong registers: {errors:?}")))?;
        check_shared(machine, &output)?;
    }
    Ok(output)
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
