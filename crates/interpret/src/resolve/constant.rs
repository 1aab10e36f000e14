//! Constants: every expression that is one becomes registers that are filled before a run.
//!
//! Equal constants share registers, and all zero values do.

use std::collections::HashMap;

use anywarp_program::Program;
use naga::{Arena, Expression, Function, Handle, Literal, Module};

use crate::KernelError;
use crate::code::Reg;
use crate::layout::{Layout, MAX_WORDS, Unsupported};

/// The registers of constants by their words.
#[derive(Default)]
pub(super) struct Constants {
    registers: HashMap<Vec<u32>, Reg>,
    initial: Vec<u32>,
    /// As many zeros as the largest zero value has words.
    zeros: Reg,
}

impl Constants {
    /// Gives registers from `next` on to every constant in the functions and in global variables.
    pub(super) fn collect(
        program: &Program,
        layout: Layout<'_>,
        reachable: &[Handle<Function>],
        entry_point: &Function,
        next: &mut Reg,
    ) -> Result<Self, KernelError> {
        let module = program.module();
        let mut constants = Self {
            initial: vec![0; *next as usize],
            ..Self::default()
        };
        let mut most_zeros = 0;
        let functions = reachable.iter().map(|&handle| &module.functions[handle]);
        let arenas = functions.chain([entry_point]).map(|f| &f.expressions);
        for arena in [&module.global_expressions].into_iter().chain(arenas) {
            for (handle, expression) in arena.iter() {
                match *expression {
                    Expression::ZeroValue(ty) => {
                        let zeros = layout.words(layout.inner(ty)).unwrap_or(0);
                        most_zeros = most_zeros.max(zeros as usize);
                    }
                    _ => constants.add(program, layout, arena, handle)?,
                }
            }
        }
        constants.zeros = constants.initial.len() as Reg;
        constants
            .initial
            .resize(constants.initial.len() + most_zeros, 0);
        *next = constants.initial.len() as Reg;
        Ok(constants)
    }

    fn add(
        &mut self,
        program: &Program,
        layout: Layout<'_>,
        arena: &Arena<Expression>,
        handle: Handle<Expression>,
    ) -> Result<(), KernelError> {
        // A constant of a type that is not supported is an error where it is used, not here.
        if let Ok(Some(words)) = words_of(program.module(), layout, arena, handle)
            && !self.registers.contains_key(&words)
        {
            let first = self.initial.len() as Reg;
            self.initial.extend_from_slice(&words);
            self.registers.insert(words, first);
        }
        if self.initial.len() as u64 > MAX_WORDS {
            return Err(KernelError::Unsupported {
                feature: format!("more than {} bytes of constants", MAX_WORDS * 4),
                place: program.locate(arena.get_span(handle)).map(Box::new),
            });
        }
        Ok(())
    }

    /// The registers that hold an expression, if it is a constant.
    pub(super) fn register(
        &self,
        module: &Module,
        layout: Layout<'_>,
        arena: &Arena<Expression>,
        handle: Handle<Expression>,
    ) -> Result<Option<Reg>, Unsupported> {
        if let Expression::ZeroValue(ty) = arena[handle] {
            layout.words(layout.inner(ty))?;
            return Ok(Some(self.zeros));
        }
        let words = words_of(module, layout, arena, handle)?;
        Ok(words.and_then(|words| self.registers.get(&words).copied()))
    }

    /// The first registers of every invocation, up to the last constant.
    pub(super) fn initial_registers(&self) -> Vec<u32> {
        self.initial.clone()
    }
}

/// The packed words of a constant expression; `None` if it is not one.
fn words_of(
    module: &Module,
    layout: Layout<'_>,
    arena: &Arena<Expression>,
    handle: Handle<Expression>,
) -> Result<Option<Vec<u32>>, Unsupported> {
    Ok(match arena[handle] {
        Expression::Literal(literal) => Some(literal_words(literal)?),
        Expression::Constant(constant) => {
            let init = module.constants[constant].init;
            words_of(module, layout, &module.global_expressions, init)?
        }
        Expression::ZeroValue(ty) => Some(vec![0; layout.words(layout.inner(ty))? as usize]),
        Expression::Compose { ty, ref components } => {
            layout.words(layout.inner(ty))?;
            let mut words = Vec::new();
            for &component in components {
                match words_of(module, layout, arena, component)? {
                    Some(part) => words.extend(part),
                    None => return Ok(None),
                }
            }
            Some(words)
        }
        Expression::Splat { size, value } => {
            words_of(module, layout, arena, value)?.map(|words| words.repeat(size as usize))
        }
        _ => None,
    })
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
