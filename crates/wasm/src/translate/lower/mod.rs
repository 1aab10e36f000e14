//! Lowering: WebAssembly function bodies to the IR.
//!
//! In: a valid body, and the meaning of its module's indices in the program ([`IndexSpaces`]). Out:
//! [`ir::Function`].
//!
//! One pass of abstract interpretation over the operand stack, which exists only here. A stack
//! entry is a constant, a local that has not been written since it was read, or a value in its home
//! slot, the slot at its stack height; only the last kind costs an instruction. Entries that refer
//! to a local are copied to their homes (materialized) before the local changes and where control
//! flow joins. Unreachable code is skipped. Nothing recurses, so nesting costs no stack.

mod access;
mod control;
mod fuse;
mod operators;
mod stack;

use wasmparser::FunctionBody;

use super::ir::{self, Inst, Label, Origin, Plain, Slot};
use crate::TranslateError;
use crate::bytecode::{FunctionType, Type};
use crate::module::{LinkedModule, value_type};
pub(crate) use access::writes_a;
use control::Control;
use stack::Stack;

/// A linked module, and the indices in the bytecode of what it refers to.
pub(crate) struct IndexSpaces<'a> {
    /// The module.
    pub linked: &'a LinkedModule<'a>,
    /// Indices of the address-taken functions, by function index of the module.
    pub references: Vec<Option<u32>>,
    /// Globals: first slot and type.
    pub globals: Vec<(u32, Type)>,
}

/// Maximum number of instructions of a function.
const MAX_CODE: usize = 1 << 23;

/// Maximum number of slots of a frame: `far` instructions have a 16-bit operand.
pub(crate) const MAX_FRAME: u32 = 65_000;

/// Maximum number of slots of parameters, or of results.
pub(crate) const MAX_SIGNATURE: u32 = 200;

/// A local variable of a function.
struct Local {
    slot: Slot,
    ty: Type,
    /// The construct of its first write, if no read precedes that.
    written_in: Option<u32>,
    /// Whether a read may see its initial zero.
    needs_zero: bool,
    /// Whether it is ever written.
    written: bool,
}

/// The state of lowering one function.
struct Lowering<'a> {
    space: &'a IndexSpaces<'a>,
    name: &'a str,
    function: ir::Function,
    origin: Origin,
    locals: Vec<Local>,
    stack: Stack,
    control: Vec<Control>,
    /// For each construct opened so far, whether it is still open.
    open: Vec<bool>,
    /// Nesting of constructs in unreachable code; 0 in reachable code.
    dead: u32,
    reachable: bool,
    /// The first instruction of the current basic block: earlier ones must not be changed any more.
    fence: usize,
    results: Vec<Type>,
    budget: CodeBudget,
}

/// How many locals cost as much as one instruction.
const LOCALS_PER_INSTRUCTION: usize = 8;

/// A budget for the code of a module before inlining. A few bytes of a module can stand for
/// hundreds of instructions (branches with many values) or for thousands of local variables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodeBudget {
    limit: usize,
    left: usize,
}

impl CodeBudget {
    /// The budget of a module of any size, in instructions.
    const MIN_INSTRUCTIONS: usize = 1 << 20;
    /// Instructions for each byte of a module. Compilers emit about one.
    const PER_BYTE: usize = 32;

    /// The budget of a module with that many bytes.
    pub(crate) fn new(module_bytes: usize) -> Self {
        let limit = module_bytes
            .saturating_mul(Self::PER_BYTE)
            .saturating_add(Self::MIN_INSTRUCTIONS);
        Self { limit, left: limit }
    }

    /// An error if a function of that weight exceeds the budget.
    fn check(&self, weight: usize, name: &str) -> Result<(), TranslateError> {
        if weight <= self.left {
            return Ok(());
        }
        let what = format!(
            "and the functions before it need more than {} instructions, too many for a module of this size",
            self.limit
        );
        Err(TranslateError::function(name, what))
    }

    fn spend(&mut self, weight: usize, name: &str) -> Result<(), TranslateError> {
        self.check(weight, name)?;
        self.left -= weight;
        Ok(())
    }
}

/// Lowers the function with this index in its module.
pub(crate) fn lower(
    space: &IndexSpaces<'_>,
    number: usize,
    name: (&str, u32),
    body: &FunctionBody<'_>,
    budget: &mut CodeBudget,
) -> Result<ir::Function, TranslateError> {
    let (_, ty) = space.linked.functions[number];
    let (type_index, ty) = &space.linked.types[ty as usize];
    budget.spend(count_locals(body)? / LOCALS_PER_INSTRUCTION, name.0)?;
    let mut lowering = Lowering::new(space, name, *type_index, ty, *budget);
    let mut reader = body.get_locals_reader()?;
    for _ in 0..reader.get_count() {
        let (count, ty) = reader.read()?;
        for _ in 0..count {
            lowering.declare(value_type(ty))?;
        }
    }
    lowering.begin();
    let mut operators = body.get_operators_reader()?;
    while !operators.eof() {
        let offset = u32::try_from(operators.original_position()).unwrap_or(u32::MAX);
        lowering.origin.offset = offset;
        lowering.operator(&operators.read()?)?;
        lowering.check_size()?;
    }
    let function = lowering.finish(ty);
    budget.spend(function.weight, name.0)?;
    Ok(function)
}

/// Number of local variables that a body declares.
fn count_locals(body: &FunctionBody<'_>) -> Result<usize, TranslateError> {
    let mut locals = 0_usize;
    for declared in body.get_locals_reader()? {
        let (count, _) = declared?;
        locals = locals.saturating_add(count as usize);
    }
    Ok(locals)
}

impl<'a> Lowering<'a> {
    fn new(
        space: &'a IndexSpaces<'a>,
        (name, name_index): (&'a str, u32),
        type_index: u32,
        ty: &FunctionType,
        budget: CodeBudget,
    ) -> Self {
        let mut lowering = Self {
            space,
            name,
            function: ir::Function {
                type_index,
                name: name_index,
                params: ir::slots(&ty.params),
                results: ir::slots(&ty.results),
                ..ir::Function::default()
            },
            origin: Origin {
                name: name_index,
                offset: 0,
            },
            locals: Vec::new(),
            stack: Stack::default(),
            control: Vec::new(),
            open: Vec::new(),
            dead: 0,
            reachable: true,
            fence: 0,
            results: ty.results.clone(),
            budget,
        };
        for &param in &ty.params {
            lowering.local(param);
        }
        lowering
    }

    /// Adds a local variable.
    fn local(&mut self, ty: Type) {
        self.locals.push(Local {
            slot: self.function.locals,
            ty,
            written_in: None,
            needs_zero: false,
            written: false,
        });
        self.function.locals += ty.slots();
    }

    fn declare(&mut self, ty: Type) -> Result<(), TranslateError> {
        self.local(ty);
        if self.function.locals > MAX_FRAME {
            let what = format!("has more than {MAX_FRAME} slots of local variables");
            return Err(TranslateError::function(self.name, what));
        }
        Ok(())
    }

    fn begin(&mut self) {
        self.stack = Stack::new(self.function.locals);
        self.function.frame = self.function.locals.max(self.function.results);
        self.enter_function();
    }

    fn check_size(&self) -> Result<(), TranslateError> {
        if self.function.weight > MAX_CODE {
            let what = format!("needs more than {MAX_CODE} instructions");
            return Err(TranslateError::function(self.name, what));
        }
        self.budget.check(self.function.weight, self.name)?;
        if self.stack.peak() > MAX_FRAME {
            let what = format!("needs more than {MAX_FRAME} slots");
            return Err(TranslateError::function(self.name, what));
        }
        Ok(())
    }

    fn finish(mut self, ty: &FunctionType) -> ir::Function {
        self.function.reach(self.stack.peak());
        self.zero_locals(ty.params.len());
        let params = &self.locals[..ty.params.len()];
        let constant = params.iter().filter(|local| !local.written);
        self.function.constant_params = constant
            .map(|local| (local.slot, local.ty.slots()))
            .collect();
        self.function
    }

    /// At the beginning of the function, zeroes the locals whose initial zero may be read.
    fn zero_locals(&mut self, params: usize) {
        let zeros: Vec<Inst> = self.locals[params..]
            .iter()
            .filter(|local| local.needs_zero)
            .map(|local| {
                Inst::Plain(ir::copy(
                    local.slot,
                    ir::Operand::Const(0),
                    local.ty.slots(),
                ))
            })
            .collect();
        let origin = Origin {
            offset: self
                .function
                .origins
                .first()
                .map_or(0, |origin| origin.offset),
            ..self.origin
        };
        self.function.weight += zeros.len();
        let origins = vec![origin; zeros.len()];
        self.function.code.splice(0..0, zeros);
        self.function.origins.splice(0..0, origins);
    }

    fn push(&mut self, inst: Inst) {
        self.function.push(inst, self.origin);
    }

    fn plain(&mut self, plain: Plain) {
        self.push(Inst::Plain(plain));
    }

    /// Begins a basic block: control flow joins or leaves here, so earlier instructions must not be
    /// changed.
    fn set_fence(&mut self) {
        self.fence = self.function.code.len();
    }

    fn new_label(&mut self) -> Label {
        self.function.labels += 1;
        self.function.labels - 1
    }
}
