//! Vector code as machine code.
//!
//! In: a verified [`Function`] of `anywarp-lanes` whose barriers are split (`pass::barriers`). Out: [`Code`], which can be called
//! for one subgroup after another.
//!
//! The way: blocks are put in order (`graph`); a target chooses instructions over virtual registers (`x64`);
//! regalloc2 chooses registers (`machine`, `pressure`, `allocate`); the target writes bytes, which are decoded again and validated
//! against the function (`x64::scan`); the bytes are mapped (`memory`).
//!
//! What always holds:
//! - The code does exactly what the function says: it checks nothing more, and reaches nothing that the function does
//!   not reach.
//! - Memory is never writable and executable at once, and constants lie in pages that are not executable.
//! - Constants cost no registers across instructions: they are operands in memory, or made again at each use.
//! - The work is linear in the size of the function, apart from the allocator, which also takes time for each block that
//!   a value is alive in. A meter limits both ([`Compiler::compile_within`]).
//!
//! What it does not do: change the function (that is `lanes`), run workgroups (that is `cpu`). A further target is a
//! folder next to `x64` with `generate`.
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

mod allocate;
mod code;
mod error;
mod graph;
mod machine;
mod memory;
mod pressure;
mod target;
mod x64;

use std::cell::RefCell;
use std::time::{Duration, Instant};

use anywarp_lanes::ir::Function;
use anywarp_lanes::work::Meter;

pub use code::{Allocator, Code, Size, Times, settle};
pub use error::CompileError;
pub use target::Target;

use memory::Executable;

/// Makes code. It keeps memory from one function to the next, which saves time.
#[derive(Default)]
pub struct Compiler {
    registers: regalloc2::Ctx,
}

impl Compiler {
    /// Makes machine code of a function for a target.
    pub fn compile(&mut self, function: &Function, target: Target) -> Result<Code, CompileError> {
        self.compile_within(function, target, &Meter::unlimited())
    }

    /// The same, within limits. A step is an instruction, or a block that a value is alive at the beginning of. Where
    /// the best register allocator would take a large part of the steps left, a simpler one is used, whose code is slower.
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
        let mut clock = Clock::new();
        let graph = graph::Graph::new(function);
        let insts = function.blocks.iter().map(|it| it.insts.len() + 1);
        meter.tick(insts.sum::<usize>() as u64)?;
        let selection = x64::select(function, &graph, target.0)?;
        let select = clock.lap();
        let env = x64::registers(target.0);
        meter.tick(selection.machine.insts.len() as u64)?;
        let (places, allocator) =
            allocate::allocate(&selection.machine, &env, &mut self.registers, meter)?;
        let allocate = clock.lap();
        // Emitting and scanning visit each machine instruction again.
        meter.tick(2 * selection.machine.insts.len() as u64)?;
        let bytes = x64::emit(&selection, &places)?;
        let emit = clock.lap();
        x64::scan(function, &graph, &selection, &places, &bytes)
            .map_err(|error| CompileError::Internal(error.to_string()))?;
        let scan = clock.lap();
        let memory = Executable::new(&bytes.bytes, bytes.entry).map_err(CompileError::Memory)?;
        Ok(Code {
            memory,
            entry: bytes.entry,
            frame_bytes: selection.frame_bytes,
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
                ..bytes.size
            },
        })
    }
}

/// Makes machine code of a function for a target. The compiler of the thread is used, so that its memory is there
/// already from the second function on.
pub fn compile(function: &Function, target: Target) -> Result<Code, CompileError> {
    COMPILER.with_borrow_mut(|it| it.compile(function, target))
}

thread_local! {
    static COMPILER: RefCell<Compiler> = RefCell::default();
}

/// Time between steps.
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
