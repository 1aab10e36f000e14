//! Operators and calls that always trap.
//!
//! A call of a function that never returns is a trap, whose message that function makes: the launch
//! calls it on the virtual machine with the words of the trap. The words are its arguments, those
//! of 64 bits as two words with the low one first. Without a message are functions whose arguments
//! do not fit, or are addresses in the stack frame, which is gone then.

use super::builder::Builder;
use crate::TrapCode;
use crate::compile::ir::{Binary, Op, Terminator, Type, Unary, Value};

/// Maximum number of words of a trap.
const MAX_WORDS: usize = 4;

impl Builder<'_> {
    /// A trap without words.
    pub(super) fn trap(&mut self, code: TrapCode) {
        let trap = self.site(code, None);
        self.finish(Terminator::Trap {
            trap,
            words: Vec::new(),
        });
    }

    /// A call of the host's `panic`.
    pub(super) fn panic(&mut self, words: Vec<Value>) {
        let trap = self.site(TrapCode::Panic, None);
        self.finish(Terminator::Trap { trap, words });
    }

    /// A call of a function that never returns.
    pub(super) fn trap_call(&mut self, function: u32, arguments: &[Value]) {
        let (id, _) = self.module.functions[function as usize];
        let code = if self.calls.panics(id) {
            TrapCode::Panic
        } else {
            TrapCode::Unreachable
        };
        let words = self.words(arguments);
        let trap = self.site(code, words.is_some().then_some(function));
        let words = words.unwrap_or_default();
        self.finish(Terminator::Trap { trap, words });
    }

    /// The words of arguments, if they can be passed.
    fn words(&mut self, arguments: &[Value]) -> Option<Vec<Value>> {
        let counts = arguments.iter().map(|&argument| {
            let is_wide = self.function.ty(argument).bits() == 64;
            1 + usize::from(is_wide)
        });
        let is_address = |argument| self.frame_addresses.contains(argument);
        if counts.sum::<usize>() > MAX_WORDS || arguments.iter().any(is_address) {
            return None;
        }
        let mut words = Vec::new();
        for &argument in arguments {
            match self.function.ty(argument) {
                Type::F32 => {
                    words.push(self.unary(Unary::Reinterpret(Type::I32), argument));
                }
                Type::I64 => self.add_words(argument, &mut words),
                Type::F64 => {
                    let bits = self.unary(Unary::Reinterpret(Type::I64), argument);
                    self.add_words(bits, &mut words);
                }
                _ => words.push(self.number(argument)),
            }
        }
        Some(words)
    }

    /// Adds both words of an `I64`.
    fn add_words(&mut self, value: Value, words: &mut Vec<Value>) {
        let half = self.function.constant(Type::I64, 32);
        words.push(self.unary(Unary::Wrap, value));
        let high = self.binary(Binary::ShrUnsigned, value, half);
        words.push(self.unary(Unary::Wrap, high));
    }

    /// A unary instruction.
    pub(super) fn unary(&mut self, unary: Unary, operand: Value) -> Value {
        let ty = unary.result(self.function.ty(operand));
        self.add(Op::Unary(unary, operand), ty)
    }
}
