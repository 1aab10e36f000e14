//! From a function's body to structured code over slots.
//!
//! In: a valid body and what its module's numbers mean ([`Space`]). Out: [`ir::Function`].
//!
//! The operand stack exists only here. An entry is a constant, a local that was read and not written
//! since, or a value in its home, the slot at its height; only the last costs an instruction. Locals
//! are copied to their homes before they change and where control flow joins. Code that cannot be
//! reached is not lowered. Nothing here recurses, so nesting costs no stack.

mod access;
mod control;
mod fuse;
mod operators;
mod stack;

use std::collections::HashMap;

use wasmparser::FunctionBody;

use crate::TranslateError;
use crate::bytecode::{FunctionType, Type};
use crate::decode::value_type;
use crate::ir::{self, Inst, Label, Origin, Plain, Slot};
pub(crate) use access::writes_a;
use control::Control;
use stack::Stack;

/// What a module's numbers mean in the program that it is linked into.
#[derive(Debug, Default)]
pub(crate) struct Space {
    /// Types: number in the program, and the type.
    pub types: Vec<(u32, FunctionType)>,
    /// Functions, and their types' numbers in the module.
    pub functions: Vec<(ir::FunctionId, u32)>,
    /// Numbers of the functions that something refers to, by function of the module.
    pub references: Vec<Option<u32>>,
    /// Tables.
    pub tables: Vec<u32>,
    /// Memories.
    pub memories: Vec<u32>,
    /// Globals: first slot and type.
    pub globals: Vec<(u32, Type)>,
    /// The number of the first data segment.
    pub data: u32,
    /// The number of the first element segment.
    pub elements: u32,
    /// For tables of the module that never change and types' numbers in the program: where functions
    /// of that type are, if those are few.
    pub dispatch: HashMap<(u32, u32), Vec<(u32, ir::FunctionId)>>,
}

/// Instructions that a function may have at most.
const MAX_CODE: usize = 1 << 23;

/// Slots that a frame may have at most: `far` instructions have 16 bits for one.
pub(crate) const MAX_FRAME: u32 = 65_000;

/// Slots that parameters, or results, may have at most.
pub(crate) const MAX_SIGNATURE: u32 = 200;

/// Elements that a call through a table is compared with at most.
pub(crate) const MAX_DISPATCH: usize = 4;

/// The local variables of a function.
struct Local {
    slot: Slot,
    ty: Type,
    /// The construct in which it was first written, if that came before any read.
    written_in: Option<u32>,
    /// Whether something may read its initial zero.
    needs_zero: bool,
    /// Whether anything writes it.
    written: bool,
}

/// A function on its way.
struct Lowering<'a> {
    space: &'a Space,
    name: &'a str,
    function: ir::Function,
    origin: Origin,
    locals: Vec<Local>,
    stack: Stack,
    control: Vec<Control>,
    /// For each construct opened so far, whether it is still open.
    open: Vec<bool>,
    /// Constructs inside of code that cannot be reached; 0 while code can be.
    dead: u32,
    reachable: bool,
    /// Instructions before this one may have been jumped over.
    fence: usize,
    results: Vec<Type>,
    work: Work,
}

/// Locals that take as much work as an instruction.
const LOCALS_PER_INSTRUCTION: usize = 8;

/// What the functions of a module may come to before inlining: a few bytes of a module can stand for hundreds of
/// instructions (branches that carry many values) or for many thousand local variables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    limit: usize,
    left: usize,
}

impl Work {
    /// Instructions that a module of any size may have.
    const LEAST: usize = 1 << 20;
    /// Instructions for each byte of a module. Compilers emit about one.
    const PER_BYTE: usize = 32;

    /// The work that a module of that many bytes may take.
    pub(crate) fn new(module_bytes: usize) -> Self {
        let limit = module_bytes
            .saturating_mul(Self::PER_BYTE)
            .saturating_add(Self::LEAST);
        Self { limit, left: limit }
    }

    /// An error if a function of that weight is more than is left.
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

/// Lowers the function with this number in its module.
pub(crate) fn lower(
    space: &Space,
    number: usize,
    name: (&str, u32),
    body: &FunctionBody<'_>,
    work: &mut Work,
) -> Result<ir::Function, TranslateError> {
    let (_, ty) = space.functions[number];
    let (type_index, ty) = &space.types[ty as usize];
    work.spend(count_locals(body)? / LOCALS_PER_INSTRUCTION, name.0)?;
    let mut lowering = Lowering::new(space, name, *type_index, ty, *work);
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
    work.spend(function.weight, name.0)?;
    Ok(function)
}

/// Local variables that a body declares.
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
        space: &'a Space,
        (name, name_index): (&'a str, u32),
        type_index: u32,
        ty: &FunctionType,
        work: Work,
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
            work,
        };
        for &param in &ty.params {
            lowering.local(param);
        }
        lowering
    }

    /// Adds a local variable behind the others.
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
        self.work.check(self.function.weight, self.name)?;
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

    /// Sets locals to zero whose zero may be read, at the function's beginning.
    fn zero_locals(&mut self, params: usize) {
        let zeros = self.locals[params..]
            .iter()
            .filter(|local| local.needs_zero);
        let zeros: Vec<Inst> = zeros
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

    /// Nothing before here may be changed any more: control flow joins or leaves.
    fn set_fence(&mut self) {
        self.fence = self.function.code.len();
    }

    fn new_label(&mut self) -> Label {
        self.function.labels += 1;
        self.function.labels - 1
    }
}
