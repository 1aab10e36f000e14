//! From a program to vector code.
//!
//! In: a compute entry point whose overrides are resolved, and a number of lanes. Out: a [`Lowered`] kernel, or what
//! in the program there is no vector code for. Functions are inlined, except large ones that
//! are called from several places (`plan`); vectors and matrices become their numbers, variables become values; what
//! is the same for every lane is computed once.
//!
//! What always holds: the result does what the reference evaluator does, bit for bit where WGSL gives no bound.

mod bindings;
mod bits;
mod branch;
mod call;
mod callee;
mod cells;
mod double;
mod entry;
mod error;
mod expression;
mod geometric;
mod half;
mod image;
mod liveness;
mod loops;
mod math;
mod matrix;
mod memory;
mod number;
mod operator;
mod packing;
mod place;
mod plan;
mod request;
mod scalar;
mod shape;
mod short;
mod statement;
mod stored_texel;
mod subgroup;
mod switch;
mod table;
mod texel;
mod transcendental;
mod uniformity;
mod variables;
mod wide;

use std::collections::HashMap;
use std::rc::Rc;

use anywarp_program::Program;
use anywarp_program::units::Bytes;
use anywarp_program::work::Meter;
use naga::{Module, ShaderStage, Span};

use crate::build::Builder;
use crate::ir::{BlockId, Function, Terminator, Value};
use call::Call;
use callee::Interface;
pub use error::LowerError;
use error::{Result, Stop, unsupported};
use image::Texture;
use place::{Memory, Place};
pub use plan::Calls;
use plan::Plan;
pub use request::{
    DoubleRequest, Operand, Request, Requests, TextureAtomic, TextureOperation, TextureRequest,
};
use scalar::Scalars;
use shape::Shapes;
use table::TableLocals;
use uniformity::Analyses;
use variables::{Change, Form, Slot, Variable, VariableId};

/// A kernel as vector code.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// What one call does.
    pub function: Function,
    /// What it asks of whoever runs it.
    pub requests: Requests,
    /// The functions that it calls, by number. Each calls only those before it.
    pub callees: Vec<Callee>,
    /// Whether functions are inlined that could be called.
    pub inlines: bool,
    /// Invocations of a workgroup along each axis.
    pub workgroup_size: [u32; 3],
    /// Words of workgroup memory, which are zero when a workgroup begins.
    pub workgroup_words: u32,
    /// Whether lanes look at each other, so that their number matters.
    pub uses_subgroups: bool,
    /// Whether a call goes over all subgroups of a workgroup, in the loop that the first block goes to; else a call is
    /// for one of them.
    pub goes_over_subgroups: bool,
    /// Words of immediate data.
    pub immediate_words: u32,
    /// What lies in the memory of constants, from its beginning.
    pub constants: Vec<u32>,
    /// Where the loops are in the source, by the numbers that they have in the code.
    pub loops: Vec<Span>,
    /// Where the barriers are in the source; the first has the number 1.
    pub barriers: Vec<Span>,
    /// What each buffer of the code is.
    pub buffers: Vec<Bound>,
}

/// What a buffer of the code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Bound {
    /// The buffer with this `@group` and `@binding`. An array of them is one buffer, of their entries
    /// ([`BufferEntry`](crate::ir::BufferEntry)) and one more of no words.
    Buffer(u32, u32),
    /// The entry ([`LevelEntry`](crate::ir::LevelEntry)) of a level.
    Level(Level),
    /// The words of a level.
    Texels(Level),
}

/// A level of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Level {
    /// The `@group` of the texture.
    pub group: u32,
    /// Its `@binding`.
    pub binding: u32,
    /// The level.
    pub level: u32,
}

/// A function that vector code calls.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Callee {
    /// Vector code, too.
    Function(Function),
    /// Whoever runs the code, who answers [`Lowered::requests`].
    Requests,
}

impl Callee {
    /// The vector code, if it is some.
    pub fn function(&self) -> Option<&Function> {
        match self {
            Self::Function(function) => Some(function),
            Self::Requests => None,
        }
    }
}

/// The most values of a kernel: more would take seconds to compile.
const MAX_VALUES: usize = 400_000;

/// Steps of work for a statement or an expression: it takes as long as some instructions in a pass.
const STEPS: u64 = 4;

/// Lowers a compute entry point for vectors of so many lanes, 8 or 16.
pub fn lower(
    program: &Program,
    entry_point: &str,
    lanes: u32,
) -> std::result::Result<Lowered, LowerError> {
    lower_with(program, entry_point, lanes, Calls::default())
}

/// The same, and says which functions are called.
pub fn lower_with(
    program: &Program,
    entry_point: &str,
    lanes: u32,
    calls: Calls,
) -> std::result::Result<Lowered, LowerError> {
    lower_within(program, entry_point, lanes, calls, &Meter::unlimited())
}

/// The same, within limits. A step is a statement or an expression that is analysed or lowered; inlined calls count
/// again each time. An error names the function that was being lowered when a limit was passed.
pub fn lower_within(
    program: &Program,
    entry_point: &str,
    lanes: u32,
    calls: Calls,
    meter: &Meter,
) -> std::result::Result<Lowered, LowerError> {
    let module = program.module();
    let mut entries = module.entry_points.iter().enumerate();
    let is_it = |it: &naga::EntryPoint| it.name == entry_point && it.stage == ShaderStage::Compute;
    let (index, entry) = entries
        .find(|(_, it)| is_it(it))
        .ok_or_else(|| LowerError::NoEntryPoint(entry_point.to_owned()))?;
    let shapes = Shapes::of(module);
    let plan = Rc::new(Plan::new(module, program.info(), &shapes, index, calls));
    let mut lowering = Lowering {
        program,
        module,
        meter,
        shapes,
        analyses: Analyses::new(module, plan.clone(), meter),
        plan,
        same: Vec::new(),
        interfaces: vec![None; module.functions.len()],
        lowered_values: 0,
        places: vec![None; module.global_variables.len()],
        function: Builder::new(Function::new(lanes)),
        block: Function::ENTRY,
        exec: None,
        first_exec: None,
        inhabited: None,
        exit: None,
        variables: Vec::new(),
        log: Vec::new(),
        calls: Vec::new(),
        next_call: 0,
        scopes: Vec::new(),
        masked_ways: 0,
        globals: vec![None; module.global_variables.len()],
        buffers: Vec::new(),
        texels: 0,
        constants: Vec::new(),
        tables: HashMap::new(),
        table_locals: HashMap::new(),
        private_tables: Vec::new(),
        callees: Vec::new(),
        requests: Requests::default(),
        request_callee: None,
        asked: HashMap::new(),
        workgroup_words: 0,
        uses_subgroups: false,
        span: Span::UNDEFINED,
        loops: Vec::new(),
        barriers: Vec::new(),
        goes_over_subgroups: false,
        lengths: HashMap::new(),
    };
    let done = lowering.entry_point(entry, index);
    done.map_err(|stop| match stop {
        Stop::Unsupported(what) => LowerError::Unsupported {
            what,
            place: program.locate(lowering.span).map(Box::new),
        },
        Stop::OverBudget(limit) => LowerError::OverBudget {
            entry_point: entry_point.to_owned(),
            function: lowering.function_name(entry_point),
            limit,
            inlines: lowering.plan.inlines(),
        },
    })?;
    Ok(Lowered {
        inlines: lowering.plan.inlines(),
        function: lowering.function.finish(),
        callees: lowering.callees,
        requests: lowering.requests,
        workgroup_size: entry.workgroup_size,
        workgroup_words: lowering.workgroup_words,
        loops: lowering.loops,
        barriers: lowering.barriers,
        uses_subgroups: lowering.uses_subgroups,
        goes_over_subgroups: lowering.goes_over_subgroups,
        immediate_words: immediate_words(module),
        constants: lowering.constants,
        buffers: lowering.buffers,
    })
}

/// Words of the immediate data that a module declares.
fn immediate_words(module: &Module) -> u32 {
    let variables = module.global_variables.iter();
    let variables = variables.filter(|(_, it)| it.space == naga::AddressSpace::Immediate);
    let sizes = variables.map(|(_, it)| module.types[it.ty].inner.size(module.to_ctx()));
    sizes.max().unwrap_or(0).div_ceil(4)
}

/// Whether control comes to the end of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Goes,
    /// The block that was open is ended.
    Ends,
}

/// What an expression is.
#[derive(Clone, Debug)]
enum Evaluated {
    Scalars(Scalars),
    Place(Place),
    Texture(Texture),
    /// A value that lies in a constant table.
    Table(Memory),
}

impl Evaluated {
    fn is_same(&self) -> bool {
        match self {
            Self::Scalars(scalars) => scalars.iter().all(scalar::Scalar::is_same),
            Self::Table(memory) => memory.index.is_same(),
            Self::Place(Place::Memory(memory)) => {
                memory.index.is_same() && !matches!(memory.base, place::Base::Chosen(_))
            }
            Self::Texture(texture) => texture.is_same(),
            Self::Place(Place::Variable { choices, .. }) => {
                choices.iter().all(|(_, condition)| condition.is_none())
            }
        }
    }
}

/// A loop or a switch around what is being lowered.
#[derive(Clone, Debug)]
enum Scope {
    Loop {
        exit: BlockId,
        results: Vec<(Slot, Form)>,
        /// Where an iteration ends early, if one does.
        next: Option<(BlockId, Vec<(Slot, Form)>)>,
        is_left: bool,
    },
    MaskedLoop {
        /// Lanes that wait for the next iteration.
        continued: Option<VariableId>,
    },
    Switch {
        exit: BlockId,
        results: Vec<(Slot, Form)>,
        is_left: bool,
    },
    MaskedSwitch,
}

/// A kernel that is being lowered.
struct Lowering<'a> {
    program: &'a Program,
    module: &'a Module,
    meter: &'a Meter,
    shapes: Shapes<'a>,
    analyses: Analyses<'a>,
    plan: Rc<Plan>,
    /// By function and argument: whether it is the same for every lane at every call.
    same: Vec<Vec<bool>>,
    /// How functions are called that have been lowered, by function.
    interfaces: Vec<Option<Rc<Interface>>>,
    /// How many values those functions have.
    lowered_values: usize,
    /// Where variables of the module begin: in words of the workgroup's memory, or in bytes of the frame.
    places: Vec<Option<u32>>,
    function: Builder,
    /// The block that is open.
    block: BlockId,
    /// The lanes that take part; `None` where all do.
    exec: Option<Value>,
    /// The lanes that there are.
    first_exec: Option<Value>,
    /// A mask that is known to have a lane, where it is what takes part.
    inhabited: Option<Value>,
    /// Where a subgroup ends.
    exit: Option<BlockId>,
    variables: Vec<Variable>,
    log: Vec<Change>,
    calls: Vec<Call<'a>>,
    next_call: u32,
    scopes: Vec<Scope>,
    /// How many branches of the entry point are around that only some lanes take.
    masked_ways: u32,
    globals: Vec<Option<Place>>,
    buffers: Vec<Bound>,
    /// How many accesses to texels the code does by itself.
    texels: u32,
    /// The words of constant tables.
    constants: Vec<u32>,
    /// Where tables begin among them.
    tables: HashMap<Box<[u32]>, u32>,
    /// By function: the variables that are tables.
    table_locals: HashMap<*const naga::Function, TableLocals>,
    /// By variable of the module: whether it is a table.
    private_tables: Vec<bool>,
    callees: Vec<Callee>,
    requests: Requests,
    /// The number of the function that answers requests, once one is made.
    request_callee: Option<u32>,
    /// What has been asked for once, in the function that is being lowered.
    asked: HashMap<Request, Scalars>,
    workgroup_words: u32,
    uses_subgroups: bool,
    goes_over_subgroups: bool,
    /// Where the statement is in the source.
    span: Span,
    loops: Vec<Span>,
    barriers: Vec<Span>,
    /// Lengths of runtime-sized arrays, by buffer, beginning and stride.
    lengths: HashMap<(place::Extent, Bytes, Bytes), Value>,
}

impl Lowering<'_> {
    /// Ends the block that is open.
    fn end(&mut self, terminator: Terminator) {
        let block = self.block;
        self.function.block_mut(block).terminator = terminator;
    }

    /// The lanes that there are.
    fn first_mask(&mut self) -> Value {
        match self.first_exec {
            Some(mask) => mask,
            None => self.full_mask(),
        }
    }

    /// Whether it is known that a lane takes part.
    fn is_inhabited(&self) -> bool {
        self.exec == self.first_exec || self.exec.is_none() || self.exec == self.inhabited
    }

    /// Where the kernel may end early: no lane waits for others to come back from where they are.
    fn done_block(&self) -> Option<BlockId> {
        let is_masked = |it: &Scope| matches!(it, Scope::MaskedLoop { .. } | Scope::MaskedSwitch);
        let is_entry = self.call().role == uniformity::Role::Entry;
        let waits = self.masked_ways > 0 || self.scopes.iter().any(is_masked);
        self.exit.filter(|_| is_entry && !waits)
    }

    /// Counts statements, expressions or variables that are about to be lowered, and checks the size of the kernel.
    fn work(&self, count: usize) -> Result {
        self.meter.tick(count as u64 * STEPS)?;
        match self.function.types.len() + self.lowered_values > MAX_VALUES {
            true => unsupported("a program of this size"),
            false => Ok(()),
        }
    }

    /// Counts scalars that are about to be made, or copied.
    fn allocate(&self, scalars: usize) -> Result {
        self.meter.tick(scalars as u64)?;
        let bytes = scalars * size_of::<scalar::Scalar>();
        Ok(self.meter.allocate(bytes as u64)?)
    }

    /// The function that is being lowered; the entry point where there is none.
    fn function_name(&self, entry_point: &str) -> String {
        let name = self.calls.last().and_then(|it| it.function.name.clone());
        name.unwrap_or_else(|| entry_point.to_owned())
    }
}
