//! Random small functions, for property tests of passes.
//!
//! A function is a random structure of blocks: arithmetic, loads and stores, checks, branches, and
//! loops that count to a small number, with exits and several latches.

use crate::TrapCode;
use crate::compile::ir::evaluate::Machine;
use crate::compile::ir::{
    Access, Argument, Binary, Block, Edge, Function, Op, Terminator, Trap, TrapSite, Type, Unary,
    Value, Width,
};
use crate::module::Type as WasmType;

/// A multiplicative generator (Steele and Vigna's SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

struct Builder {
    random: Random,
    function: Function,
    /// The block being written.
    block: Block,
    /// Words that dominate it.
    words: Vec<Value>,
    trap: Trap,
    /// Headers of the loops around it, with their counters and other parameters.
    loops: Vec<(Block, Value, usize)>,
    /// Where the loops leave to.
    exits: Vec<Block>,
    budget: usize,
}

const MEMORY: usize = 64;

/// A function of two words, and the largest number of its instructions.
pub(super) fn random_function(seed: u64) -> Function {
    let mut function = Function::default();
    function.arguments = vec![Argument::Number(WasmType::I32); 2];
    function.results = vec![Type::I32];
    let trap = function.add_trap(TrapSite {
        code: TrapCode::Panic,
        function: "random".to_owned(),
        offset: 0,
        message: None,
    });
    let block = function.add_block();
    let mut words: Vec<Value> = [0, 1, 2, 4, 8, u32::MAX].map(|k| function.word(k)).to_vec();
    words.extend([0, 1].map(|at| function.floating(Op::Argument(at), Type::I32)));
    let mut builder = Builder {
        random: Random(seed),
        function,
        block,
        words,
        trap,
        loops: Vec::new(),
        exits: Vec::new(),
        budget: 40,
    };
    builder.sequence(3);
    let result = builder.word();
    let end = Terminator::Return(vec![result]);
    builder.function.block_mut(builder.block).terminator = end;
    builder.function
}

impl Builder {
    fn word(&mut self) -> Value {
        // Recent values are more likely.
        if self.random.one_in(2) {
            let recent = self.words.len().saturating_sub(4);
            return self.random.pick(&self.words[recent..]);
        }
        self.random.pick(&self.words)
    }

    fn push(&mut self, op: Op, ty: Type) -> Value {
        self.function.push(self.block, op, ty)
    }

    fn binary(&mut self, binary: Binary, left: Value, right: Value) -> Value {
        let ty = binary.result(Type::I32);
        self.push(Op::Binary(binary, left, right), ty)
    }

    fn condition(&mut self) -> Value {
        let (left, right) = (self.word(), self.word());
        let binary = self.random.pick(&[
            Binary::Eq,
            Binary::Ne,
            Binary::LtUnsigned,
            Binary::LeUnsigned,
            Binary::LtSigned,
            Binary::LeSigned,
        ]);
        let condition = self.binary(binary, left, right);
        match self.random.below(4) {
            0 => self.push(Op::Unary(Unary::Not, condition), Type::Bool),
            _ => condition,
        }
    }

    fn sequence(&mut self, depth: usize) {
        for _ in 0..=self.random.below(4) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            match self.random.below(10) {
                0 | 1 if depth > 0 => self.branch(depth - 1),
                2 if depth > 0 => self.counted_loop(depth - 1),
                3 if depth > 0 && self.random.one_in(3) => self.split_loop(depth - 1),
                3 if depth > 0 => self.counted_loop(depth - 1),
                4 => self.check(),
                5 => self.access(),
                6 if !self.loops.is_empty() => self.leave(),
                _ => self.arithmetic(),
            }
        }
    }

    fn arithmetic(&mut self) {
        let binary = self.random.pick(&[
            Binary::Add,
            Binary::Sub,
            Binary::Mul,
            Binary::And,
            Binary::Or,
            Binary::Xor,
            Binary::Shl,
            Binary::ShrUnsigned,
            Binary::ShrSigned,
            Binary::DivUnsigned,
            Binary::RemUnsigned,
            Binary::RotateLeft,
        ]);
        let (left, right) = (self.word(), self.word());
        let value = match self.random.below(6) {
            0 => {
                let condition = self.condition();
                self.push(Op::Unary(Unary::BoolToI32, condition), Type::I32)
            }
            1 => {
                let condition = self.condition();
                let op = Op::Select {
                    condition,
                    yes: left,
                    no: right,
                };
                self.push(op, Type::I32)
            }
            2 => {
                let wide = self.push(Op::Unary(Unary::ZeroExtend, left), Type::I64);
                self.push(Op::Unary(Unary::Wrap, wide), Type::I32)
            }
            _ => self.binary(binary, left, right),
        };
        self.words.push(value);
    }

    fn check(&mut self) {
        let left = self.word();
        let limit = self.function.word(6 + self.random.below(40) as u32);
        let condition = self.binary(Binary::LeUnsigned, limit, left);
        let op = Op::TrapIf {
            condition,
            trap: self.trap,
            words: vec![left],
        };
        self.push(op, Type::Unit);
    }

    fn access(&mut self) {
        let mask = self.function.word(MEMORY as u32 - 1);
        let address = self.word();
        let address = if self.random.one_in(4) {
            address
        } else {
            self.binary(Binary::And, address, mask)
        };
        let access = Access {
            ty: Type::I32,
            width: Width::Bits8 { signed: true },
            offset: 0,
            align: 0,
            trap: self.trap,
        };
        if self.random.one_in(2) {
            let value = self.word();
            let op = Op::Store {
                access,
                address,
                value,
            };
            self.push(op, Type::Unit);
        } else {
            let value = self.push(Op::Load { access, address }, Type::I32);
            self.words.push(value);
        }
    }

    fn end(&mut self, terminator: Terminator) {
        self.function.block_mut(self.block).terminator = terminator;
    }

    /// Two sides, one of which may be empty or trap; they join with parameters.
    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        let [yes, no, join] = [(); 3].map(|()| self.function.add_block());
        let params: Vec<Value> = (0..self.random.below(3))
            .map(|_| self.function.add_param(join, Type::I32))
            .collect();
        self.end(Terminator::Branch {
            condition,
            yes: Edge::to(yes),
            no: Edge::to(no),
        });
        let known = self.words.len();
        for side in [yes, no] {
            self.block = side;
            if side == yes && self.random.one_in(4) {
                let word = self.word();
                self.end(Terminator::Trap {
                    trap: self.trap,
                    words: vec![word],
                });
                continue;
            }
            if !self.random.one_in(3) {
                self.sequence(depth);
            }
            let args = params.iter().map(|_| self.word()).collect();
            self.end(Terminator::Jump(Edge { block: join, args }));
            self.words.truncate(known);
        }
        self.block = join;
        self.words.extend(params);
    }

    /// A loop with a counter and up to two other parameters, tested at its head or its end.
    fn counted_loop(&mut self, depth: usize) {
        let [header, body, exit] = [(); 3].map(|()| self.function.add_block());
        let counter = self.function.add_param(header, Type::I32);
        let others = self.random.below(3);
        let mut params = vec![counter];
        params.extend((0..others).map(|_| self.function.add_param(header, Type::I32)));
        let zero = self.function.word(0);
        let mut args = vec![zero];
        args.extend((0..others).map(|_| self.word()));
        self.end(Terminator::Jump(Edge {
            block: header,
            args,
        }));
        let known = self.words.len();
        self.words.extend(&params);
        self.block = header;
        let limit = self.function.word(1 + self.random.below(5) as u32);
        let is_tested_at_head = self.random.one_in(2);
        if is_tested_at_head {
            let condition = self.binary(Binary::LtUnsigned, counter, limit);
            self.end(Terminator::Branch {
                condition,
                yes: Edge::to(body),
                no: Edge::to(exit),
            });
        } else {
            self.end(Terminator::Jump(Edge::to(body)));
        }
        self.block = body;
        self.loops.push((header, counter, others));
        self.exits.push(exit);
        self.sequence(depth);
        let next = self.latch_edge();
        if is_tested_at_head {
            self.end(Terminator::Jump(next));
        } else {
            let binary = self.random.pick(&[Binary::Eq, Binary::LeUnsigned]);
            let condition = self.binary(binary, limit, next.args[0]);
            self.end(Terminator::Branch {
                condition,
                yes: Edge::to(exit),
                no: next,
            });
        }
        self.loops.pop();
        self.exits.pop();
        self.words.truncate(known);
        // What dominates the exit is at least the parameters.
        self.words.extend(params);
        self.block = exit;
    }

    /// A loop with two latches as LLVM writes it: two nested loops, of which the inner one goes on
    /// from where the outer one is.
    fn split_loop(&mut self, depth: usize) {
        let [outer, inner, latch, exit] = [(); 4].map(|()| self.function.add_block());
        let zero = self.function.word(0);
        let args = vec![zero, self.word()];
        self.end(Terminator::Jump(Edge { block: outer, args }));
        let known = self.words.len();
        for header in [outer, inner] {
            let params = [(); 2].map(|()| self.function.add_param(header, Type::I32));
            self.words.extend(params);
            self.block = header;
            if header == outer {
                let added = self.word();
                let other = self.binary(Binary::Xor, params[1], added);
                let args = vec![params[0], self.random.pick(&[params[1], other])];
                self.end(Terminator::Jump(Edge { block: inner, args }));
            }
        }
        let params = self.words[known..].to_vec();
        self.loops.push((inner, params[2], 1));
        self.exits.push(exit);
        self.sequence(depth);
        let condition = self.condition();
        let no = self.latch_edge();
        self.end(Terminator::Branch {
            condition,
            yes: Edge::to(latch),
            no: no.clone(),
        });
        self.block = latch;
        let limit = self.function.word(4);
        let condition = self.binary(Binary::LtUnsigned, no.args[0], limit);
        let args = vec![no.args[0], self.word()];
        self.end(Terminator::Branch {
            condition,
            yes: Edge { block: outer, args },
            no: Edge::to(exit),
        });
        self.loops.pop();
        self.exits.pop();
        self.words.truncate(known);
        self.words.extend(params);
        self.block = exit;
    }

    /// The edge back to the header of the innermost loop. It counts, so every loop ends: a test at
    /// the head or at the end that is jumped over is passed by later.
    fn latch_edge(&mut self) -> Edge {
        let (header, counter, others) = self.loops[self.loops.len() - 1];
        let one = self.function.word(1);
        let mut args = vec![self.binary(Binary::Add, counter, one)];
        for at in 0..others {
            let param = self.function.block(header).params[at + 1];
            let step = self.random.pick(&[1, 4, 4, 32, u32::MAX]);
            let step = self.function.word(step);
            args.push(match self.random.below(3) {
                0 => self.word(),
                _ => self.binary(Binary::Add, param, step),
            });
        }
        Edge {
            block: header,
            args,
        }
    }

    /// A branch that leaves the innermost loop or goes on with it.
    fn leave(&mut self) {
        let condition = self.condition();
        let rest = self.function.add_block();
        let exit = self.exits[self.exits.len() - 1];
        let yes = if self.random.one_in(2) {
            Edge::to(exit)
        } else {
            self.latch_edge()
        };
        self.end(Terminator::Branch {
            condition,
            yes,
            no: Edge::to(rest),
        });
        self.block = rest;
    }
}

/// Arguments and memory for such a function.
pub(super) fn machine(seed: u64) -> Machine {
    let mut random = Random(seed);
    Machine {
        arguments: (0..2).map(|_| random.below(12) as u64).collect(),
        memory: (0..MEMORY).map(|_| random.below(20) as u8).collect(),
        ..Machine::default()
    }
}
