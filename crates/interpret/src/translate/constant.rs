//! Constant expressions: each becomes registers that are initialised before a run.
//!
//! Equal constants share registers, and all zero values share one range. Each expression is evaluated once, from
//! the words of its operands. Nested constants may double in size with each level, so the meter counts their words.

use std::collections::HashMap;

use anywarp_program::Program;
use anywarp_program::work::{Meter, OverBudget};
use naga::{Arena, EntryPoint, Expression, Function, Handle, Literal, Module};

use super::over_budget;
use crate::KernelError;
use crate::bytecode::Reg;
use crate::layout::{Layout, MAX_WORDS, Unsupported};

/// Words of a constant that count as one step of work.
const WORDS_PER_STEP: usize = 16;

/// Bytes of memory for a word of a constant: the word itself, and one as a hash key.
const BYTES_PER_WORD: usize = 8;

/// The words of a constant expression.
#[derive(Clone, Copy)]
enum ConstantWords {
    /// In consecutive registers: the first one, and their number.
    At(Reg, u32),
    /// All zero: the number of words.
    Zeros(u32),
}

/// By expression of an arena: its words, if it is constant.
type ConstantExpressions = Vec<Option<ConstantWords>>;

/// The registers of constants.
#[derive(Default)]
pub(super) struct Constants {
    /// By their words.
    registers: HashMap<Vec<u32>, Reg>,
    /// By the arena of the expressions.
    known: HashMap<*const Arena<Expression>, ConstantExpressions>,
    initial: Vec<u32>,
    /// A range of zeros, as long as the largest zero value.
    zeros: Reg,
}

impl Constants {
    /// Allocates registers from `next` on for every constant in the functions and in global variables.
    pub(super) fn collect(
        program: &Program,
        layout: Layout<'_>,
        (reachable, entry_point): (&[Handle<Function>], &EntryPoint),
        next: &mut Reg,
        meter: &Meter,
    ) -> Result<Self, KernelError> {
        let module = program.module();
        let mut constants = Self {
            initial: vec![0; *next as usize],
            ..Self::default()
        };
        let globals = (&module.global_expressions, Some("module scope"));
        let functions = reachable.iter().map(|&handle| &module.functions[handle]);
        let functions = functions.map(|function| (&function.expressions, function.name.as_deref()));
        let entry = (
            &entry_point.function.expressions,
            Some(entry_point.name.as_str()),
        );
        for (arena, name) in [globals].into_iter().chain(functions).chain([entry]) {
            constants.add_arena(program, layout, (arena, name), meter)?;
        }
        let zeros = constants.known.values().flatten().map(|known| match known {
            Some(ConstantWords::Zeros(words)) => *words,
            _ => 0,
        });
        let most_zeros = zeros.max().unwrap_or(0) as usize;
        constants.zeros = constants.initial.len() as Reg;
        constants
            .initial
            .resize(constants.initial.len() + most_zeros, 0);
        *next = constants.initial.len() as Reg;
        Ok(constants)
    }

    fn add_arena(
        &mut self,
        program: &Program,
        layout: Layout<'_>,
        (arena, name): (&Arena<Expression>, Option<&str>),
        meter: &Meter,
    ) -> Result<(), KernelError> {
        let mut known = ConstantExpressions::with_capacity(arena.len());
        for (handle, expression) in arena.iter() {
            let found = self
                .find(program.module(), layout, expression, &known, meter)
                .map_err(|limit| over_budget(name, limit))?;
            known.push(found);
            if self.initial.len() as u64 > MAX_WORDS {
                return Err(KernelError::Unsupported {
                    feature: format!("more than {} bytes of constants", MAX_WORDS * 4),
                    location: program.locate(arena.get_span(handle)).map(Box::new),
                });
            }
        }
        self.known.insert(std::ptr::from_ref(arena), known);
        Ok(())
    }

    /// The words of an expression, if it is a constant of a supported type: others are errors where they are used.
    fn find(
        &mut self,
        module: &Module,
        layout: Layout<'_>,
        expression: &Expression,
        before: &[Option<ConstantWords>],
        meter: &Meter,
    ) -> Result<Option<ConstantWords>, OverBudget> {
        meter.tick(1)?;
        let words = match *expression {
            Expression::Literal(literal) => literal_words(literal).ok(),
            Expression::Constant(constant) => {
                let init = module.constants[constant].init;
                let globals = self
                    .known
                    .get(&std::ptr::from_ref(&module.global_expressions));
                // An initial value that comes later in the arena than its use belongs to the module.
                let globals = globals.map_or(before, Vec::as_slice);
                return Ok(globals.get(init.index()).copied().flatten());
            }
            Expression::ZeroValue(ty) => {
                let words = layout.words(layout.inner(ty)).ok();
                return Ok(words.map(ConstantWords::Zeros));
            }
            Expression::Compose { ty, ref components } => {
                let is_small = layout.words(layout.inner(ty)).is_ok();
                let parts = components.iter().map(|component| before[component.index()]);
                let parts: Option<Vec<ConstantWords>> = parts.collect();
                match parts.filter(|_| is_small) {
                    Some(parts) => Some(self.join(&parts, meter)?),
                    None => None,
                }
            }
            Expression::Splat { size, value } => match before[value.index()] {
                Some(part) => Some(self.join(&vec![part; size as usize], meter)?),
                None => None,
            },
            _ => None,
        };
        let Some(words) = words else {
            return Ok(None);
        };
        let count = words.len() as u32;
        let first = match self.registers.get(&words) {
            Some(first) => *first,
            None => {
                let first = self.initial.len() as Reg;
                meter.allocate((words.len() * BYTES_PER_WORD) as u64)?;
                self.initial.extend_from_slice(&words);
                self.registers.insert(words, first);
                first
            }
        };
        Ok(Some(ConstantWords::At(first, count)))
    }

    /// Concatenates constants.
    fn join(&self, parts: &[ConstantWords], meter: &Meter) -> Result<Vec<u32>, OverBudget> {
        let mut words = Vec::new();
        for part in parts {
            let (ConstantWords::At(_, count) | ConstantWords::Zeros(count)) = *part;
            meter.tick((count as usize / WORDS_PER_STEP) as u64)?;
            match *part {
                ConstantWords::At(first, count) => {
                    let range = first as usize..(first + count) as usize;
                    words.extend_from_slice(&self.initial[range]);
                }
                ConstantWords::Zeros(count) => words.resize(words.len() + count as usize, 0),
            }
        }
        Ok(words)
    }

    /// The first register of an expression, if it is constant.
    pub(super) fn register(
        &self,
        layout: Layout<'_>,
        arena: &Arena<Expression>,
        handle: Handle<Expression>,
    ) -> Result<Option<Reg>, Unsupported> {
        let known = self.known.get(&std::ptr::from_ref(arena));
        let known = known.and_then(|known| known.get(handle.index()).copied().flatten());
        match (known, &arena[handle]) {
            (Some(ConstantWords::At(first, _)), _) => Ok(Some(first)),
            (Some(ConstantWords::Zeros(_)), _) => Ok(Some(self.zeros)),
            (None, Expression::Literal(literal)) => literal_words(*literal).map(|_| None),
            (None, Expression::ZeroValue(ty) | Expression::Compose { ty, .. }) => {
                layout.words(layout.inner(*ty)).map(|_| None)
            }
            (None, _) => Ok(None),
        }
    }

    /// The initial values of an invocation's first registers, up to the last constant.
    pub(super) fn initial_registers(&self) -> Vec<u32> {
        self.initial.clone()
    }
}

fn literal_words(literal: Literal) -> Result<Vec<u32>, Unsupported> {
    let split = |bits: u64| vec![bits as u32, (bits >> 32) as u32];
    Ok(match literal {
        Literal::F16(value) => vec![u32::from(value.to_bits())],
        Literal::U16(value) => vec![u32::from(value)],
        Literal::I16(value) => vec![u32::from(value as u16)],
        Literal::F32(value) => vec![value.to_bits()],
        Literal::U32(value) => vec![value],
        Literal::I32(value) => vec![value as u32],
        Literal::F64(value) => split(value.to_bits()),
        Literal::U64(value) => split(value),
        Literal::I64(value) => split(value as u64),
        Literal::Bool(value) => vec![u32::from(value)],
        Literal::AbstractInt(_) | Literal::AbstractFloat(_) => {
            return Err(Unsupported("an abstract number".into()));
        }
    })
}
