//! Lowering: from a naga program to the vector IR (SIMT to SIMD whole-function vectorization).
//!
//! In: a compute entry point whose overrides are resolved, and a number of lanes. Out: a [`LoweredKernel`], or a
//! [`LowerError`] that names the construct for which there is no vector code.
//!
//! Algorithm: one walk over naga's structured statements that builds SSA form directly. Uniform control flow
//! becomes branches; varying control flow is linearized under an execution mask (predication). A uniformity
//! analysis (`uniformity`) and a liveness analysis (`liveness`) decide which. Functions are inlined, except large
//! ones that are called from several places (`inlining`). Vectors and matrices are scalarized, variables are
//! promoted to SSA values (mem2reg), and what is uniform is computed once as a word.
//!
//! What always holds: the result is that of the reference interpreter, bit for bit where WGSL gives no error bound.

mod analysis;
mod arithmetic;
mod calls;
mod control_flow;
mod entry;
mod error;
mod expression;
mod memory;
mod stack;
mod state;
mod subgroup;
mod texture;

use std::rc::Rc;

use anywarp_program::Program;
use anywarp_program::work::Meter;
use naga::{Module, ShaderStage, Span};

use crate::build::Builder;
use crate::ir::{BlockId, Function, Terminator, Value, VectorMachine};
use analysis::bit_set::Members;
use analysis::uniformity::Analyses;
use arithmetic::scalar::Scalars;
pub use calls::host_call::{F64HostCall, HostCall, HostCalls, Operand, TextureHostCall};
pub use calls::inlining::CallPolicy;
use calls::inlining::Plan;
use control_flow::continue_elimination::without_continue;
pub use error::LowerError;
use error::{Result, Stop, unsupported};
use memory::layout::Shapes;
use memory::reference::{Lvalue, MemoryRef};
use memory::variables::{Representation, Slot, VariableId};
use state::{
    CalleeState, ConstantTables, ControlFlow, FunctionState, HostCallState, Resources,
    SourcePositions,
};
use texture::image::Texture;

/// A kernel in the vector IR.
#[derive(Clone, Debug)]
pub struct LoweredKernel {
    /// The code of the entry point.
    pub function: Function,
    /// The host calls that the code makes.
    pub host_calls: HostCalls,
    /// The functions that the code calls, by number. Each calls only functions with a smaller number.
    pub callees: Vec<Callee>,
    /// Whether a function was inlined that could also be called.
    pub inlines: bool,
    /// Invocations of a workgroup along each axis.
    pub workgroup_size: [u32; 3],
    /// Words of workgroup memory, which are zero when a workgroup begins.
    pub workgroup_words: u32,
    /// Whether the result depends on the number of lanes, because the kernel uses subgroup operations.
    pub uses_subgroups: bool,
    /// Whether one call runs all subgroups of a workgroup, in a loop whose header is the successor of the first
    /// block. Otherwise a call runs one subgroup.
    pub loops_over_subgroups: bool,
    /// Words of immediate data.
    pub immediate_words: u32,
    /// The constant data section: the words of [`Space::Constants`](crate::ir::Space::Constants).
    pub constants: Vec<u32>,
    /// Source position of each loop, indexed by its number in the code.
    pub loops: Vec<Span>,
    /// Source position of each barrier; index 0 is barrier number 1.
    pub barriers: Vec<Span>,
    /// What must be bound to each buffer of the code, indexed by buffer number.
    pub buffers: Vec<BufferSource>,
}

/// What must be bound to a buffer of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BufferSource {
    /// The buffer with this `@group` and `@binding`. A `binding_array` is one buffer of entries
    /// ([`BufferEntry`](crate::ir::BufferEntry)), followed by one entry of zero words.
    Buffer(u32, u32),
    /// The [`TextureLevelEntry`](crate::ir::TextureLevelEntry) that describes a mip level.
    Level(TextureLevel),
    /// The texels of a mip level, as words.
    Texels(TextureLevel),
}

/// A mip level of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureLevel {
    /// The `@group` of the texture.
    pub group: u32,
    /// Its `@binding`.
    pub binding: u32,
    /// The mip level.
    pub level: u32,
}

/// The target of a call in the vector IR.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Callee {
    /// A function in the vector IR.
    Function(Function),
    /// The host: the runtime that executes the code and serves [`LoweredKernel::host_calls`].
    HostCall,
}

impl Callee {
    /// The function, if the target is not the host.
    pub fn function(&self) -> Option<&Function> {
        match self {
            Self::Function(function) => Some(function),
            Self::HostCall => None,
        }
    }
}

/// The most SSA values of a kernel: more would take seconds to compile.
const MAX_VALUES: usize = 400_000;

/// Steps of work charged for a statement or an expression: about what its instructions cost in one pass.
const STEPS: u64 = 4;

/// Lowers a compute entry point for a machine with vectors of 8 or 16 lanes, with the default [`CallPolicy`].
pub fn lower(
    program: &Program,
    entry_point: &str,
    machine: impl Into<VectorMachine>,
) -> std::result::Result<LoweredKernel, LowerError> {
    lower_with_policy(program, entry_point, machine, CallPolicy::default())
}

/// Like [`lower`], with a policy for which functions are called rather than inlined.
pub fn lower_with_policy(
    program: &Program,
    entry_point: &str,
    machine: impl Into<VectorMachine>,
    calls: CallPolicy,
) -> std::result::Result<LoweredKernel, LowerError> {
    lower_within(program, entry_point, machine, calls, &Meter::unlimited())
}

/// Like [`lower_with_policy`], within work limits. A step is a statement or an expression that is analyzed or
/// lowered; inlined calls count again each time. The error names the function that was being lowered when a limit
/// was exceeded.
pub fn lower_within(
    program: &Program,
    entry_point: &str,
    machine: impl Into<VectorMachine>,
    calls: CallPolicy,
    meter: &Meter,
) -> std::result::Result<LoweredKernel, LowerError> {
    lower_for(program, entry_point, machine.into(), calls, meter)
}

fn lower_for(
    program: &Program,
    entry_point: &str,
    machine: VectorMachine,
    calls: CallPolicy,
    meter: &Meter,
) -> std::result::Result<LoweredKernel, LowerError> {
    let over_budget = |limit| LowerError::OverBudget {
        entry_point: entry_point.to_owned(),
        function: entry_point.to_owned(),
        limit,
        inlines: false,
    };
    let module = without_continue(program.module(), meter).map_err(over_budget)?;
    let module = module.as_ref();
    let (index, entry) = find_entry_point(module, entry_point)
        .ok_or_else(|| LowerError::NoEntryPoint(entry_point.to_owned()))?;
    let lower = || {
        let mut lowering = Lowering::new(program, module, (machine, calls, index), meter);
        match lowering.entry_point(entry, index) {
            Ok(()) => Ok(lowering.finish(entry)),
            Err(stop) => Err(lowering.error(stop, entry_point)),
        }
    };
    match stack::with_enough(module, &entry.function, meter, lower) {
        Ok(lowered) => lowered,
        Err(Stop::OverBudget(limit)) => Err(over_budget(limit)),
        Err(Stop::Unsupported(what)) => Err(LowerError::Unsupported { what, place: None }),
    }
}

/// The compute entry point with a name, and its index.
fn find_entry_point<'a>(module: &'a Module, name: &str) -> Option<(usize, &'a naga::EntryPoint)> {
    let mut entries = module.entry_points.iter().enumerate();
    entries.find(|(_, entry)| entry.name == name && entry.stage == ShaderStage::Compute)
}

/// Words of the immediate data that a module declares.
fn immediate_words(module: &Module) -> u32 {
    let variables = module.global_variables.iter();
    let variables =
        variables.filter(|(_, variable)| variable.space == naga::AddressSpace::Immediate);
    let sizes =
        variables.map(|(_, variable)| module.types[variable.ty].inner.size(module.to_ctx()));
    sizes.max().unwrap_or(0).div_ceil(4)
}

/// Whether control flow reaches the end of a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Continues,
    /// The current block has been terminated.
    Terminated,
}

impl Flow {
    /// After a loop or a switch, given whether an edge leads to its exit.
    fn after_exit(is_left: bool) -> Self {
        if is_left {
            Self::Continues
        } else {
            Self::Terminated
        }
    }
}

/// The value of an expression during lowering.
#[derive(Clone, Debug)]
enum Evaluated {
    Scalars(Scalars),
    Lvalue(Lvalue),
    Texture(Texture),
    /// A value that lies in a constant table.
    Table(MemoryRef),
}

impl Evaluated {
    fn is_uniform(&self) -> bool {
        match self {
            Self::Scalars(scalars) => scalars.iter().all(arithmetic::scalar::Scalar::is_uniform),
            Self::Table(memory) => memory.index.is_uniform(),
            Self::Lvalue(Lvalue::Memory(memory)) => {
                memory.index.is_uniform()
                    && !matches!(memory.base, memory::reference::Base::SelectedBuffers(_))
            }
            Self::Texture(texture) => texture.is_uniform(),
            Self::Lvalue(Lvalue::Variable { choices, .. }) => {
                choices.iter().all(|(_, condition)| condition.is_none())
            }
        }
    }
}

/// An enclosing loop or switch.
#[derive(Clone, Debug)]
enum Scope {
    Loop {
        exit: BlockId,
        results: Vec<(Slot, Representation)>,
        /// The block of `continuing`, if the body has a `continue`, and its parameters.
        next: Option<(BlockId, Vec<(Slot, Representation)>)>,
        is_left: bool,
    },
    MaskedLoop {
        exit: BlockId,
        results: Vec<(Slot, Representation)>,
        /// How many divergent branches enclose the body.
        divergence_depth: u32,
        /// Whether a `break` leads to the exit.
        is_left: bool,
        /// The mask of lanes that have executed `continue` in this iteration.
        continued: Option<VariableId>,
        /// Whether a `continue` has been lowered, so that lanes may wait for `continuing`.
        has_waiting_lanes: bool,
        /// What is live for the lanes that wait for `continuing`.
        live_for_waiting: Members,
    },
    Switch {
        exit: BlockId,
        results: Vec<(Slot, Representation)>,
        is_left: bool,
    },
    MaskedSwitch,
}

/// The state of lowering one kernel.
struct Lowering<'a> {
    program: &'a Program,
    module: &'a Module,
    meter: &'a Meter,
    shapes: Shapes<'a>,
    analyses: Analyses<'a>,
    plan: Rc<Plan>,
    callees: CalleeState,
    resources: Resources,
    tables: ConstantTables,
    host: HostCallState,
    source: SourcePositions,
    next_call: u32,
    uses_subgroups: bool,
    loops_over_subgroups: bool,
    /// The function that is being lowered.
    function: Builder,
    control: ControlFlow,
    body: FunctionState<'a>,
}

impl<'a> Lowering<'a> {
    /// The state before an entry point is lowered, which is given by its index.
    fn new(
        program: &'a Program,
        module: &'a Module,
        (machine, calls, entry): (VectorMachine, CallPolicy, usize),
        meter: &'a Meter,
    ) -> Self {
        let shapes = Shapes::of(module);
        let plan = Rc::new(Plan::new(module, program.info(), &shapes, entry, calls));
        Lowering {
            program,
            module,
            meter,
            shapes,
            analyses: Analyses::new(module, program.info(), plan.clone(), meter),
            plan,
            callees: CalleeState::new(module.functions.len()),
            resources: Resources::new(module.global_variables.len()),
            tables: ConstantTables::default(),
            host: HostCallState::default(),
            source: SourcePositions::default(),
            next_call: 0,
            uses_subgroups: false,
            loops_over_subgroups: false,
            function: Builder::new(Function::new(machine)),
            control: ControlFlow::new(),
            body: FunctionState::new(module.global_variables.len()),
        }
    }

    /// The kernel, after its entry point is lowered.
    fn finish(self, entry: &naga::EntryPoint) -> LoweredKernel {
        LoweredKernel {
            inlines: self.plan.inlines(),
            function: self.function.finish(),
            callees: self.callees.list,
            host_calls: self.host.calls,
            workgroup_size: entry.workgroup_size,
            workgroup_words: self.resources.workgroup_words,
            loops: self.source.loops,
            barriers: self.source.barriers,
            uses_subgroups: self.uses_subgroups,
            loops_over_subgroups: self.loops_over_subgroups,
            immediate_words: immediate_words(self.module),
            constants: self.tables.words,
            buffers: self.resources.buffers,
        }
    }

    /// The error for a stop where the lowering is.
    fn error(&self, stop: Stop, entry_point: &str) -> LowerError {
        match stop {
            Stop::Unsupported(what) => LowerError::Unsupported {
                what,
                place: self.program.locate(self.source.span).map(Box::new),
            },
            Stop::OverBudget(limit) => LowerError::OverBudget {
                entry_point: entry_point.to_owned(),
                function: self.function_name(entry_point),
                limit,
                inlines: self.plan.inlines(),
            },
        }
    }
}

impl Lowering<'_> {
    /// Terminates the current block.
    fn end(&mut self, terminator: Terminator) {
        let block = self.control.block;
        self.function.block_mut(block).terminator = terminator;
    }

    /// The execution mask at the start of the function.
    fn first_mask(&mut self) -> Value {
        match self.control.first_exec {
            Some(mask) => mask,
            None => self.full_mask(),
        }
    }

    /// Whether the execution mask is known to be non-zero.
    fn has_active_lane(&self) -> bool {
        self.control.exec == self.control.first_exec
            || self.control.exec.is_none()
            || self.control.exec == self.control.nonempty_mask
    }

    /// The block to which the entry point may jump when no lane is active; `None` where lanes outside the mask
    /// still have work.
    fn done_block(&self) -> Option<BlockId> {
        let is_masked =
            |scope: &Scope| matches!(scope, Scope::MaskedLoop { .. } | Scope::MaskedSwitch);
        let is_entry = self.call().role == analysis::uniformity::Role::Entry;
        let has_inactive_work =
            self.control.divergence_depth > 0 || self.control.scopes.iter().any(is_masked);
        self.control.exit.filter(|_| is_entry && !has_inactive_work)
    }

    /// Charges statements, expressions or variables that are about to be lowered, and checks the size of the
    /// kernel.
    fn work(&self, count: usize) -> Result {
        self.meter.tick(count as u64 * STEPS)?;
        if self.function.types.len() + self.callees.lowered_values > MAX_VALUES {
            unsupported("a program of this size")
        } else {
            Ok(())
        }
    }

    /// Charges scalars that are about to be created or copied.
    fn allocate(&self, scalars: usize) -> Result {
        self.meter.tick(scalars as u64)?;
        let bytes = scalars * size_of::<arithmetic::scalar::Scalar>();
        Ok(self.meter.allocate(bytes as u64)?)
    }

    /// The function that is being lowered; the entry point if there is none.
    fn function_name(&self, entry_point: &str) -> String {
        let name = self
            .body
            .calls
            .last()
            .and_then(|call| call.function.name.clone());
        name.unwrap_or_else(|| entry_point.to_owned())
    }
}
