//! A reference interpreter of the IR, for tests of passes.
//!
//! In: a function, its arguments, a byte memory and the words of its objects. Out: how it ended; the
//! memory and the objects are changed. Host calls read nothing and are recorded.

use std::ops::Range;

use super::{Access, Block, Builtin, Edge, Function, Op, Terminator, Trap, Type, Value, Width};
use crate::TrapCode;
use crate::compile::pass::constant;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The bits of the results.
    Returned(Vec<u64>),
    /// The code and the words of the message.
    Trapped(TrapCode, Vec<u64>),
    /// It ran for too long.
    OutOfSteps,
}

/// The state of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Machine {
    /// Arguments by index, as bits.
    pub arguments: Vec<u64>,
    /// Addresses and lengths of slices.
    pub slices: Vec<(u32, u32)>,
    /// Linear memory.
    pub memory: Vec<u8>,
    /// The words of each object.
    pub objects: Vec<Vec<u32>>,
    /// Host calls with their operands.
    pub calls: Vec<(String, Vec<u64>)>,
}

/// Why a run stops early.
type Stop = (TrapCode, Vec<u64>);

/// Runs a function for a number of instructions at most.
pub(crate) fn evaluate(function: &Function, machine: &mut Machine, steps: usize) -> End {
    let mut run = Run {
        function,
        machine,
        values: vec![0; function.value_count()],
    };
    let (mut block, mut steps) = (Function::ENTRY, steps);
    loop {
        let data = function.block(block);
        for &inst in &data.insts {
            match run.instruction(inst) {
                Ok(bits) => run.values[inst.0 as usize] = bits,
                Err((code, words)) => return End::Trapped(code, words),
            }
        }
        let cost = data.insts.len() + 1;
        if steps < cost {
            return End::OutOfSteps;
        }
        steps -= cost;
        block = match &data.terminator {
            Terminator::Jump(edge) => run.enter(edge),
            Terminator::Branch { condition, yes, no } => {
                let holds = run.value(*condition) != 0;
                run.enter(if holds { yes } else { no })
            }
            Terminator::Switch {
                index,
                targets,
                default,
            } => {
                let index = run.value(*index) as usize;
                run.enter(targets.get(index).unwrap_or(default))
            }
            Terminator::Return(values) => return End::Returned(run.list(values)),
            Terminator::Trap { trap, words } => {
                let (code, words) = run.trap(*trap, words);
                return End::Trapped(code, words);
            }
            Terminator::Unreachable => panic!("{block} is entered"),
        };
    }
}

struct Run<'a> {
    function: &'a Function,
    machine: &'a mut Machine,
    values: Vec<u64>,
}

impl Run<'_> {
    fn value(&self, value: Value) -> u64 {
        match *self.function.op(value) {
            Op::Const(bits) => bits,
            Op::Argument(index) => self.machine.arguments[index as usize],
            Op::SliceAddress(index) => u64::from(self.machine.slices[index as usize].0),
            Op::SliceLength(index) => u64::from(self.machine.slices[index as usize].1),
            Op::StackPointer => self.machine.memory.len() as u64,
            Op::Builtin(Builtin::WorkgroupSize(_) | Builtin::NumWorkgroups(_)) => 1,
            Op::Builtin(_) => 0,
            Op::ObjectLength(object) => self.machine.objects[object.0 as usize].len() as u64,
            _ => self.values[value.0 as usize],
        }
    }

    fn list(&self, values: &[Value]) -> Vec<u64> {
        values.iter().map(|&value| self.value(value)).collect()
    }

    fn enter(&mut self, edge: &Edge) -> Block {
        let args = self.list(&edge.args);
        for (&param, bits) in self.function.block(edge.block).params.iter().zip(args) {
            self.values[param.0 as usize] = bits;
        }
        edge.block
    }

    fn trap(&self, trap: Trap, words: &[Value]) -> Stop {
        let site = &self.function.traps[trap.0 as usize];
        (site.code, self.list(words))
    }

    fn instruction(&mut self, inst: Value) -> Result<u64, Stop> {
        let ty = self.function.ty(inst);
        match self.function.op(inst) {
            Op::Unary(unary, operand) => {
                let from = self.function.ty(*operand);
                Ok(constant::unary(*unary, from, self.value(*operand)))
            }
            Op::Binary(binary, left, right) => {
                let (from, left, right) = (
                    self.function.ty(*left),
                    self.value(*left),
                    self.value(*right),
                );
                // What the IR leaves open is 0.
                Ok(constant::binary(*binary, from, left, right).unwrap_or(0))
            }
            Op::Select { condition, yes, no } => {
                let holds = self.value(*condition) != 0;
                Ok(self.value(if holds { *yes } else { *no }))
            }
            Op::Load { access, address } => {
                let at = self.place(access, *address)?;
                let mut bytes = [0; 8];
                let count = access.bytes() as usize;
                bytes[..count].copy_from_slice(&self.machine.memory[at..at + count]);
                Ok(extend(access, u64::from_le_bytes(bytes)))
            }
            Op::Store {
                access,
                address,
                value,
            } => {
                let at = self.place(access, *address)?;
                let bytes = self.value(*value).to_le_bytes();
                let count = access.bytes() as usize;
                self.machine.memory[at..at + count].copy_from_slice(&bytes[..count]);
                Ok(0)
            }
            Op::TrapIf {
                condition,
                trap,
                words,
            } => {
                let holds = self.value(*condition) != 0;
                if holds {
                    Err(self.trap(*trap, words))
                } else {
                    Ok(0)
                }
            }
            Op::Host { function, args, .. } => {
                let args = self.list(args);
                self.machine.calls.push((format!("{function:?}"), args));
                Ok(0)
            }
            Op::MemoryCopy {
                to,
                from,
                bytes,
                trap,
            } => {
                let from = self.span(*from, *bytes, *trap)?;
                let to = self.span(*to, *bytes, *trap)?;
                self.machine.memory.copy_within(from, to.start);
                Ok(0)
            }
            Op::MemoryFill {
                to,
                value,
                bytes,
                trap,
            } => {
                let byte = self.value(*value) as u8;
                let to = self.span(*to, *bytes, *trap)?;
                self.machine.memory[to].fill(byte);
                Ok(0)
            }
            Op::ObjectLoad { object, index } => {
                let index = self.value(*index) as usize;
                let word = self.machine.objects[object.0 as usize].get(index);
                Ok(u64::from(word.copied().unwrap_or(0)))
            }
            Op::ObjectStore {
                object,
                index,
                value,
            } => {
                let (index, bits) = (self.value(*index) as usize, self.value(*value));
                if let Some(word) = self.machine.objects[object.0 as usize].get_mut(index) {
                    *word = bits as u32;
                }
                Ok(0)
            }
            op => panic!("{op:?} of type {} is not evaluated", ty.name()),
        }
    }

    fn span(&self, start: Value, bytes: Value, trap: Trap) -> Result<Range<usize>, Stop> {
        let (start, bytes) = (self.value(start), self.value(bytes));
        if start + bytes > self.machine.memory.len() as u64 {
            return Err(self.trap(trap, &[]));
        }
        Ok(start as usize..(start + bytes) as usize)
    }

    fn place(&self, access: &Access, address: Value) -> Result<usize, Stop> {
        let at = self.value(address) + u64::from(access.offset);
        let end = at + u64::from(access.bytes());
        if end > self.machine.memory.len() as u64 {
            return Err(self.trap(access.trap, &[]));
        }
        Ok(at as usize)
    }
}

fn extend(access: &Access, bits: u64) -> u64 {
    let extended = match access.width {
        Width::Bits8 { signed: true } => i64::from(bits as i8),
        Width::Bits16 { signed: true } => i64::from(bits as i16),
        Width::Bits32 { signed: true } => i64::from(bits as i32),
        _ => return bits,
    };
    let extended = extended.cast_unsigned();
    if access.ty == Type::I32 {
        u64::from(extended as u32)
    } else {
        extended
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn a_loop_over_memory() {
        let function = parse(
            "kernel sum(i32) -> i32
            b0:
              jump b1(0, 0)
            b1(v0: i32, v1: i32):
              v2: i32 = Load i32.8s v0
              v3: i32 = Add v1, v2
              Store i32.8u+1 v0, v3
              v4: i32 = Add v0, 1
              v5: bool = Eq v4, arg0
              branch v5, b2, b1(v4, v3)
            b2:
              return v3",
        )
        .unwrap();
        let machine = Machine {
            arguments: vec![3],
            memory: vec![1; 4],
            ..Machine::default()
        };
        let mut run = machine.clone();
        assert_eq!(evaluate(&function, &mut run, 100), End::Returned(vec![4]));
        assert_eq!(run.memory, [1, 1, 2, 4]);
        let mut run = machine;
        run.arguments = vec![9];
        let end = End::Trapped(TrapCode::OutOfBoundsMemory, Vec::new());
        assert_eq!(evaluate(&function, &mut run, 100), end);
    }
}
