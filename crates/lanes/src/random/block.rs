//! Statements: straight-line code, if-else, counted loops and barriers.

use super::{DRAWN, Generator, lanes};
use crate::ir::{BlockId, Edge, Op, Terminator, Type, Value, WordCompare};

/// The maximum nesting depth of if-else and loops.
const MAX_DEPTH: usize = 3;

impl Generator {
    /// Generates a statement, which may contain other statements.
    pub(super) fn statement(&mut self, depth: usize) {
        self.left = self.left.saturating_sub(1);
        match self.random.below(24) {
            0 if depth < MAX_DEPTH => self.choice(depth),
            1 if depth < MAX_DEPTH => self.repetition(depth),
            2 if self.is_uniform => self.barrier(),
            3 | 4 if !self.callees.is_empty() => self.call(),
            3..=8 => self.access(),
            _ => self.compute(),
        }
    }

    fn statements(&mut self, depth: usize) {
        let count = 1 + self.random.below(6);
        for _ in 0..count {
            self.statement(depth);
        }
    }

    fn barrier(&mut self) {
        if self.function.barriers == 4 {
            return;
        }
        let next = self.function.add_block();
        self.function.barriers += 1;
        let number = self.function.barriers;
        self.terminate(Terminator::Suspend(number, next));
        self.block = next;
    }

    /// Random types for block parameters.
    fn types(&mut self) -> Vec<Type> {
        (0..self.random.below(4))
            .map(|_| self.random.pick(&DRAWN))
            .collect()
    }

    fn edge(&mut self, block: BlockId, types: &[Type]) -> Edge {
        let arguments = types.iter().map(|ty| self.draw(*ty)).collect();
        Edge { block, arguments }
    }

    fn parameters(&mut self, block: BlockId, types: &[Type]) -> Vec<Value> {
        types
            .iter()
            .map(|ty| self.function.add_parameter(block, *ty))
            .collect()
    }

    /// Generates an if-else, or an if without else.
    fn choice(&mut self, depth: usize) {
        let kind = self.random.pick(&[Type::Word, Type::Mask]);
        let condition = self.draw(kind);
        let types = self.types();
        let join = self.function.add_block();
        let parameters = self.parameters(join, &types);
        let yes = self.function.add_block();
        let is_empty = self.random.once_in(3);
        let no = if is_empty {
            self.edge(join, &types)
        } else {
            Edge::to(self.function.add_block())
        };
        let other = no.block;
        self.terminate(Terminator::Branch(condition, Edge::to(yes), no));
        let sides = if is_empty {
            vec![yes]
        } else {
            vec![yes, other]
        };
        let (pools, is_uniform) = (self.pools.clone(), self.is_uniform);
        for side in sides {
            self.block = side;
            self.is_uniform = false;
            self.statements(depth + 1);
            let edge = self.edge(join, &types);
            self.terminate(Terminator::Jump(edge));
            self.pools.clone_from(&pools);
        }
        self.is_uniform = is_uniform;
        self.block = join;
        for parameter in parameters {
            self.offer(parameter);
        }
    }

    /// Generates a loop of up to four iterations, with the test before or after its body.
    fn repetition(&mut self, depth: usize) {
        let types = self.types();
        let zero = self.emit(Op::Word(0), &[]);
        let header = self.function.add_block();
        let counter = self.function.add_parameter(header, Type::Word);
        let parameters = self.parameters(header, &types);
        let mut enter = self.edge(header, &types);
        enter.arguments.insert(0, zero);
        self.terminate(Terminator::Jump(enter));
        self.block = header;
        let pools = self.pools.clone();
        self.offer(counter);
        for parameter in &parameters {
            self.offer(*parameter);
        }
        let exit = self.function.add_block();
        let times = self.random.below(4) as u32 + 1;
        if self.random.once_in(2) {
            self.test_before(depth, counter, times, (header, exit), &types);
            self.pools = pools;
            for value in std::iter::once(counter).chain(parameters) {
                self.offer(value);
            }
        } else {
            let results = self.test_behind(depth, counter, times, (header, exit), &types);
            self.pools = pools;
            for value in results {
                self.offer(value);
            }
        }
        self.block = exit;
    }

    fn test_before(
        &mut self,
        depth: usize,
        counter: Value,
        times: u32,
        (header, exit): (BlockId, BlockId),
        types: &[Type],
    ) {
        let limit = self.emit(Op::Word(times), &[]);
        let goes_on = self.emit(Op::WordCompare(WordCompare::LtU), &[counter, limit]);
        let body = self.function.add_block();
        self.terminate(Terminator::Branch(goes_on, Edge::to(body), Edge::to(exit)));
        self.block = body;
        self.statements(depth + 1);
        let back = self.back(counter, header, types);
        self.terminate(Terminator::Jump(back));
    }

    fn test_behind(
        &mut self,
        depth: usize,
        counter: Value,
        times: u32,
        (header, exit): (BlockId, BlockId),
        types: &[Type],
    ) -> Vec<Value> {
        self.statements(depth + 1);
        let back = self.back(counter, header, types);
        let limit = self.emit(Op::Word(times), &[]);
        let goes_on = self.emit(
            Op::WordCompare(WordCompare::LtU),
            &[back.arguments[0], limit],
        );
        let leave = self.edge(exit, types);
        self.terminate(Terminator::Branch(goes_on, back, leave));
        self.parameters(exit, types)
    }

    /// The back edge of a loop, which counts up and polls.
    fn back(&mut self, counter: Value, header: BlockId, types: &[Type]) -> Edge {
        self.emit(Op::Poll(0), &[]);
        let one = self.emit(Op::Word(1), &[]);
        let next = self.emit(lanes::WORD_ADD, &[counter, one]);
        let mut back = self.edge(header, types);
        back.arguments.insert(0, next);
        back
    }
}
