//! The state of the abstract interpretation, its budget, and the primitive steps.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::calls::Calls;
use super::control::Label;
use super::dispatch::Dispatch;
use super::globals::{self, Globals};
use super::inline::Frame;
use super::written::BodyInfo;
use super::{kernel, unsupported};
use crate::TrapCode;
use crate::compile::ir::{Binary, Block, Function, Op, Terminator, Trap, TrapSite, Type, Value};
use crate::compile::{CompileError, CompileOptions};
use crate::module::{Definitions, LinkedModule};

/// Steps of the interpretation for each instruction that a kernel may have: operators, locals, and
/// arguments of edges. Compilers need about three.
const STEPS_PER_INSTRUCTION: usize = 32;

/// The abstract interpreter.
pub(super) struct Builder<'a> {
    pub module: &'a LinkedModule<'a>,
    pub definitions: &'a Definitions,
    pub calls: Calls,
    pub globals: Globals,
    /// The IR so far.
    pub function: Function,
    /// The block that instructions are added to.
    pub block: Block,
    /// Whether the current operator can be reached. If not, `block` has its end.
    pub is_live: bool,
    /// Nesting of constructs in unreachable code.
    pub dead: u32,
    /// The state variables: globals, then the locals of each inlined function.
    pub state: Vec<Value>,
    /// The operand stack of all inlined functions.
    pub stack: Vec<Value>,
    /// The open constructs of all inlined functions.
    pub labels: Vec<Label<'a>>,
    /// The inlined functions that are open.
    pub frames: Vec<Frame<'a>>,
    /// The calls through tables that are open.
    pub dispatches: Vec<Dispatch>,
    /// The functions of `frames`.
    pub active: HashSet<u32>,
    /// The scanned bodies.
    pub bodies: HashMap<u32, Rc<BodyInfo>>,
    /// Values that are addresses in the stack frame, as far as known.
    pub frame_addresses: HashSet<Value>,
    /// Byte offset of the current operator.
    pub offset: u32,
    kernel: u32,
    max_instructions: usize,
    instructions: usize,
    steps: usize,
    traps: HashMap<(u32, u32, TrapCode, Option<u32>), Trap>,
}

impl<'a> Builder<'a> {
    /// A builder at the beginning of the entry block.
    pub(super) fn new(
        module: &'a LinkedModule<'a>,
        definitions: &'a Definitions,
        calls: Calls,
        (kernel, options): (u32, &CompileOptions),
    ) -> Result<Self, CompileError> {
        let mut function = Function::default();
        let block = function.add_block();
        let mut builder = Self {
            module,
            definitions,
            globals: Globals::new(&calls),
            calls,
            function,
            block,
            is_live: true,
            dead: 0,
            state: Vec::new(),
            stack: Vec::new(),
            labels: Vec::new(),
            frames: Vec::new(),
            dispatches: Vec::new(),
            active: HashSet::new(),
            bodies: HashMap::new(),
            frame_addresses: HashSet::new(),
            offset: 0,
            kernel,
            max_instructions: options.max_instructions,
            instructions: 0,
            steps: 0,
            traps: HashMap::new(),
        };
        for at in 0..builder.globals.variables.len() {
            let value = builder.initial_global(builder.globals.variables[at])?;
            builder.state.push(value);
        }
        Ok(builder)
    }

    /// The initial value of a global.
    pub(super) fn initial_global(&mut self, global: u32) -> Result<Value, CompileError> {
        if globals::is_foreign(self.module, self.definitions, global) {
            return Err(self.refuse("a mutable global of another module"));
        }
        let spaces = (self.module, self.definitions);
        let value = globals::initial(&mut self.function, spaces, &self.calls, global)
            .ok_or_else(|| self.refuse("a reference to a function of another module"))?;
        if *self.function.op(value) == Op::StackPointer {
            self.frame_addresses.insert(value);
        }
        Ok(value)
    }

    /// An error for something that the compiled tier does not have, at the current operator.
    pub(super) fn refuse(&self, feature: impl Into<String>) -> CompileError {
        let function = self.current_function();
        unsupported(self.module, function, self.offset.into(), feature)
    }

    /// The function of the module whose body is read.
    pub(super) fn current_function(&self) -> u32 {
        self.frames
            .last()
            .map_or(self.kernel, |frame| frame.function)
    }

    /// Counts steps.
    pub(super) fn spend(&mut self, steps: usize) {
        self.steps = self.steps.saturating_add(steps);
    }

    /// An error if the budget is spent.
    pub(super) fn check_budget(&self) -> Result<(), CompileError> {
        let is_too_large =
            self.instructions > self.max_instructions || self.steps > self.max_steps();
        if is_too_large {
            Err(self.too_large())
        } else {
            Ok(())
        }
    }

    /// How many steps the budget has.
    pub(super) fn max_steps(&self) -> usize {
        self.max_instructions.saturating_mul(STEPS_PER_INSTRUCTION)
    }

    /// The error for a spent budget.
    pub(super) fn too_large(&self) -> CompileError {
        CompileError::TooLarge {
            function: kernel::name(self.module, self.kernel),
            limit: self.max_instructions,
        }
    }

    /// Adds an instruction.
    pub(super) fn add(&mut self, op: Op, ty: Type) -> Value {
        self.add_to(self.block, op, ty)
    }

    /// Adds an instruction at the end of a block.
    pub(super) fn add_to(&mut self, block: Block, op: Op, ty: Type) -> Value {
        self.instructions += 1;
        self.function.push(block, op, ty)
    }

    /// Ends the current block.
    pub(super) fn finish(&mut self, terminator: Terminator) {
        self.function.block_mut(self.block).terminator = terminator;
        self.is_live = false;
    }

    /// Continues in a block.
    pub(super) fn resume(&mut self, block: Block) {
        self.block = block;
        self.is_live = true;
    }

    /// The site of a trap at the current operator.
    pub(super) fn site(&mut self, code: TrapCode, message: Option<u32>) -> Trap {
        let function = self.current_function();
        let key = (function, self.offset, code, message);
        if let Some(&trap) = self.traps.get(&key) {
            return trap;
        }
        let trap = self.function.add_trap(TrapSite {
            code,
            function: self.module.function_names[function as usize].clone(),
            offset: self.offset,
            message,
        });
        self.traps.insert(key, trap);
        trap
    }

    /// Traps if a condition holds.
    pub(super) fn trap_if(&mut self, condition: Value, code: TrapCode) {
        if self.function.as_const(condition) == Some(0) {
            return;
        }
        let trap = self.site(code, None);
        let words = Vec::new();
        let op = Op::TrapIf {
            condition,
            trap,
            words,
        };
        self.add(op, Type::Unit);
    }

    /// Takes the top of the operand stack.
    pub(super) fn pop(&mut self) -> Value {
        self.stack.pop().expect("validated: an operand")
    }

    /// Takes the top of the operand stack, as a number.
    pub(super) fn pop_number(&mut self) -> Value {
        let value = self.pop();
        self.number(value)
    }

    /// Takes the topmost values of the operand stack.
    pub(super) fn pop_many(&mut self, count: usize) -> Vec<Value> {
        let first = self.stack.len().saturating_sub(count);
        self.stack.split_off(first)
    }

    /// A binary instruction.
    pub(super) fn binary(&mut self, binary: Binary, left: Value, right: Value) -> Value {
        let ty = binary.result(self.function.ty(left));
        let value = self.add(Op::Binary(binary, left, right), ty);
        self.mark_address(value, &[left, right]);
        value
    }

    /// Notes that a value is an address in the stack frame if one of its operands is.
    pub(super) fn mark_address(&mut self, value: Value, operands: &[Value]) {
        let is_address = self.function.ty(value) == Type::I32
            && operands
                .iter()
                .any(|operand| self.frame_addresses.contains(operand));
        if is_address {
            self.frame_addresses.insert(value);
        }
    }
}
