//! The code generator: vector IR to x86-64 machine code.
//!
//! This crate is an internal part of `anywarp`: its interface changes in any release. Depend on `anywarp` instead.
//!
//! In: a verified [`Function`] of `anywarp-lanes` after `pass::barrier_split`. Out: [`Code`], a function that runs one
//! subgroup per call.
//!
//! Stages:
//! 1. `block_order`: block layout and critical-edge splitting (Cranelift: `BlockLoweringOrder`).
//! 2. `select` of a back end (`backend`): instruction selection over virtual registers, with operand folding.
//! 3. `regalloc`, `pressure`: register allocation by regalloc2, over a `machine_function`.
//! 4. `emit`: encoding, jump threading, prologue and epilogue.
//! 5. `validate` (`x64::scan`): translation validation. The bytes are decoded again and checked against the function.
//! 6. `memory`: mapping as read-only constants and executable code.
//!
//! What always holds:
//! - The code does exactly what the function says: it adds no check, and accesses nothing that the function does not
//!   access.
//! - Memory is never writable and executable at once (W^X), and constants lie in pages that are not executable.
//! - Constants occupy no register across instructions: they are memory operands, or rematerialized at each use.
//! - The work is linear in the size of the function, apart from register allocation, which also takes time for each
//!   block that a value is live in. A meter limits both ([`Compiler::compile_within`]).
//!
//! What it does not do: optimize the function (that is `lanes`) or run workgroups (that is `cpu`).
//!
//! # To add a back end
//!
//! Only `x64` and the lists of back ends in `target` and `memory` know of x86-64. For another machine:
//! 1. Add a folder next to `x64` whose root implements `backend::Backend` for a type of instruction sets: `select`,
//!    `registers`, `emit`, `validate` and `disassemble`. A selection contains a `machine_function::MachineFunction`.
//! 2. Add a variant to `target::Architecture`, and its instruction sets to [`Target::all`]; the compiler then names the
//!    other places to complete.
//! 3. Extend the `cfg` of `memory::unix`, which also names the calling convention of the code.
//! 4. `tests/code` runs each test on every target that the CPU supports, and compares with the evaluator of `lanes`.
//!
//! ```
//! use anywarp_codegen::{Target, compile};
//! use anywarp_lanes::ir::Function;
//!
//! if let Some(target) = Target::detect() {
//!     let code = compile(&Function::new(target.lanes()), target)?;
//!     assert!(code.disassembly().contains("ret"));
//! }
//! # Ok::<(), anywarp_codegen::CompileError>(())
//! ```

mod backend;
mod block_order;
mod code;
mod error;
mod machine_function;
mod memory;
mod pressure;
mod regalloc;
mod target;
mod x64;

use std::cell::RefCell;
use std::fmt;
use std::time::{Duration, Instant};

use anywarp_lanes::ir::Function;
use anywarp_lanes::work::Meter;

pub use code::{Allocator, Code, Size, Times, store_fence};
pub use error::CompileError;
pub use target::Target;

use backend::{Backend, Selection as _};
use block_order::BlockOrder;
use memory::Executable;
use target::Architecture;

/// The compiler. It reuses the register allocator's memory from one function to the next.
#[derive(Default)]
pub struct Compiler {
    registers: regalloc2::Ctx,
}

impl fmt::Debug for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiler").finish_non_exhaustive()
    }
}

impl Compiler {
    /// Compiles a function for a target, without a limit on the work.
    pub fn compile(&mut self, function: &Function, target: Target) -> Result<Code, CompileError> {
        self.compile_within(function, target, &Meter::unlimited())
    }

    /// Compiles a function within the limits of a meter. One step is one instruction, or one block that a value is live
    /// into. Where the backtracking register allocator would take a large part of the remaining steps, the single-pass
    /// allocator is used, whose code is slower.
    pub fn compile_within(
        &mut self,
        function: &Function,
        target: Target,
        meter: &Meter,
    ) -> Result<Code, CompileError> {
        if function.lanes != target.lanes() {
            return Err(CompileError::Lanes {
                function: function.lanes,
                target,
                lanes: target.lanes(),
            });
        }
        match target.0 {
            Architecture::X64(isa) => self.compile_with(isa, function, target, meter),
        }
    }

    /// Runs the stages of a back end.
    fn compile_with<B: Backend>(
        &mut self,
        backend: B,
        function: &Function,
        target: Target,
        meter: &Meter,
    ) -> Result<Code, CompileError> {
        let mut clock = Clock::new();
        let block_order = BlockOrder::new(function);
        let insts = function.blocks.iter().map(|block| block.insts.len() + 1);
        meter.tick(insts.sum::<usize>() as u64)?;
        let selection = backend.select(function, &block_order)?;
        let select = clock.lap();
        let machine = selection.machine_function();
        meter.tick(machine.insts.len() as u64)?;
        let (allocation, allocator) =
            regalloc::allocate(machine, &backend.registers(), &mut self.registers, meter)?;
        let allocate = clock.lap();
        // Emission and validation visit each machine instruction again.
        meter.tick(2 * machine.insts.len() as u64)?;
        let code = backend.emit(&selection, &allocation)?;
        let emit = clock.lap();
        backend.validate(function, &block_order, &selection, &allocation, &code)?;
        let scan = clock.lap();
        let memory =
            Executable::new(&code.bytes, code.entry, B::TRAP).map_err(CompileError::Memory)?;
        Ok(Code {
            memory,
            entry: code.entry,
            frame_bytes: selection.frame_bytes(),
            target,
            times: Times {
                select,
                allocate,
                emit,
                scan,
                map: clock.lap(),
            },
            size: Size {
                allocator,
                ..code.size
            },
        })
    }
}

/// Compiles a function for a target with the compiler of the calling thread, which reuses its memory.
pub fn compile(function: &Function, target: Target) -> Result<Code, CompileError> {
    COMPILER.with_borrow_mut(|compiler| compiler.compile(function, target))
}

thread_local! {
    static COMPILER: RefCell<Compiler> = RefCell::default();
}

/// Measures the time of each stage.
struct Clock(Instant);

impl Clock {
    fn new() -> Self {
        Self(Instant::now())
    }

    fn lap(&mut self) -> Duration {
        let lap = self.0.elapsed();
        self.0 = Instant::now();
        lap
    }
}
