//! Random functions: straight-line code, branches and loops, with memory, against the evaluator.
//!
//! `ANYWARP_CODEGEN_SEEDS` sets their number.

use anywarp_codegen::{Allocator, CompileError, Compiler};
use anywarp_lanes::evaluate::Memory;
use anywarp_lanes::ir::{
    AtomicOp, AtomicScope, ContextField, Edge, Function, LaneBinary, LaneCompare, LaneUnary,
    MaskBinary, Op, Row, Space, Terminator, Type, Value, WordBinary, WordCompare,
};
use anywarp_lanes::random::{WORD_BINARY, WORD_COMPARE};
use anywarp_lanes::verify::verify;
use anywarp_lanes::work::{Meter, WorkLimits};

use crate::kernel::{Kernel, Random};
use crate::run::{Equal, agree, agree_with, targets};

const SEEDS: u64 = 150;
const BUFFERS: u32 = 3;

/// The state of the generator.
struct Growing {
    kernel: Kernel,
    random: Random,
    /// The values that dominate the current position.
    values: Vec<Value>,
    /// The remaining number of instructions.
    left: usize,
}

const TYPES: [Type; 3] = [Type::Word, Type::Lanes, Type::Mask];

impl Growing {
    fn new(lanes: u32, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let left = 10 + random.below(120);
        let mut growing = Self {
            kernel: Kernel::new(lanes),
            random,
            values: Vec::new(),
            left,
        };
        let first = growing.kernel.first();
        growing.values.push(first);
        for number in 0..BUFFERS {
            let row = growing.kernel.row(number, first, true);
            growing.values.push(row);
        }
        growing
    }

    /// A value of a type, perhaps a new constant.
    fn pick(&mut self, ty: Type) -> Value {
        let function = &self.kernel.function;
        let all = self.values.iter().copied();
        let fitting: Vec<_> = all.filter(|value| function.type_of(*value) == ty).collect();
        if !fitting.is_empty() && self.random.below(6) > 0 {
            // Often one of the last.
            let skipped = match self.random.below(2) {
                0 => fitting.len().saturating_sub(6),
                _ => 0,
            };
            return fitting[skipped + self.random.below(fitting.len() - skipped)];
        }
        let word = self.random.value();
        let all_lanes = self.kernel.function.all_lanes();
        match ty {
            Type::Word => self.kernel.word(word),
            Type::Lanes if self.random.below(3) == 0 => {
                let words: Vec<_> = (0..self.kernel.function.lanes)
                    .map(|_| self.random.value())
                    .collect();
                let pattern = self.kernel.function.pattern(&words);
                self.kernel.put(Op::Pattern(pattern), &[], Type::Lanes)
            }
            Type::Lanes => self.kernel.splat(word),
            Type::Mask => self.kernel.put(Op::Mask(word & all_lanes), &[], Type::Mask),
            Type::Pointer => self.kernel.buffer(word % BUFFERS),
        }
    }

    fn put(&mut self, op: Op, operands: &[Value], ty: Type) -> Value {
        let value = self.kernel.put(op, operands, ty);
        self.values.push(value);
        value
    }

    /// Replaces a NaN by one canonical NaN, since which NaN a sum returns is not specified.
    fn put_float(&mut self, op: Op, operands: &[Value]) {
        let value = self.kernel.put(op, operands, Type::Lanes);
        let equal = Op::Compare(LaneCompare::EqF);
        let is_number = self.kernel.put(equal, &[value, value], Type::Mask);
        let none = self.kernel.splat(0x7fc0_0000);
        self.put(Op::Select, &[is_number, value, none], Type::Lanes);
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.random.below(all.len())]
    }

    fn statement(&mut self) {
        match self.random.below(12) {
            0 | 1 => self.word_statement(),
            2..=4 => self.lane_statement(),
            5 => self.mask_statement(),
            6 | 7 => self.float_statement(),
            8 => self.load_statement(),
            9 => self.store_statement(),
            10 => self.scattered_statement(),
            _ => self.crossing_statement(),
        }
    }

    fn word_statement(&mut self) {
        let [a, b, c] = std::array::from_fn(|_| self.pick(Type::Word));
        match self.random.below(4) {
            0 => {
                let op = self.one_of(WORD_COMPARE);
                self.put(Op::WordCompare(op), &[a, b], Type::Word);
            }
            1 => {
                self.put(Op::WordSelect, &[a, b, c], Type::Word);
            }
            _ => {
                let op = self.one_of(WORD_BINARY);
                self.put(Op::WordBinary(op), &[a, b], Type::Word);
            }
        }
    }

    fn lane_statement(&mut self) {
        let [a, b, c] = std::array::from_fn(|_| self.pick(Type::Lanes));
        let mask = self.pick(Type::Mask);
        let op = LaneBinary::Int(self.one_of(WORD_BINARY));
        let amount = self.random.below(32) as u8;
        let table = self.random.word() as u8;
        match self.random.below(9) {
            0..=2 => self.put(Op::Binary(op), &[a, b], Type::Lanes),
            3 => self.put(Op::Masked(op), &[c, a, b, mask], Type::Lanes),
            4 => self.put(Op::RotateBy(amount), &[a], Type::Lanes),
            5 => self.put(Op::ShrBy(amount), &[a], Type::Lanes),
            6 => self.put(Op::Ternary(table), &[a, b, c], Type::Lanes),
            7 => self.put(Op::Select, &[mask, a, b], Type::Lanes),
            _ => self.put(Op::Permute, &[a, b], Type::Lanes),
        };
    }

    fn mask_statement(&mut self) {
        use LaneCompare as C;
        let [a, b] = std::array::from_fn(|_| self.pick(Type::Lanes));
        let [m, n] = std::array::from_fn(|_| self.pick(Type::Mask));
        let integer = C::Int(self.one_of(WORD_COMPARE));
        let compare = self.one_of(&[
            integer,
            integer,
            C::EqF,
            C::NeF,
            C::LtF,
            C::LeF,
            C::NltF,
            C::NleF,
        ]);
        let binary = self.one_of(&[
            MaskBinary::And,
            MaskBinary::Or,
            MaskBinary::Xor,
            MaskBinary::AndNot,
        ]);
        match self.random.below(3) {
            0 => self.put(Op::Compare(compare), &[a, b], Type::Mask),
            1 => self.put(Op::MaskedCompare(compare), &[a, b, m], Type::Mask),
            _ => self.put(Op::MaskBinary(binary), &[m, n], Type::Mask),
        };
    }

    fn float_statement(&mut self) {
        use LaneBinary as B;
        use LaneUnary as U;
        let [a, b, c, d] = std::array::from_fn(|_| self.pick(Type::Lanes));
        let mask = self.pick(Type::Mask);
        let binary = self.one_of(&[B::AddF, B::SubF, B::MulF, B::DivF, B::MinF, B::MaxF]);
        let unary = self.one_of(&[
            U::Sqrt,
            U::Round,
            U::Floor,
            U::Ceil,
            U::Trunc,
            U::FromU,
            U::FromS,
            U::FromHalf,
        ]);
        let bits = self.one_of(&[U::ToU, U::ToS, U::CountOnes, U::LeadingZeros]);
        match self.random.below(7) {
            0 | 1 => self.put_float(Op::Binary(binary), &[a, b]),
            2 => self.put_float(Op::Masked(binary), &[c, a, b, mask]),
            3 => self.put_float(Op::Fma, &[a, b, c]),
            4 => self.put_float(Op::MaskedFma, &[d, a, b, c, mask]),
            5 => self.put_float(Op::Unary(unary), &[a]),
            _ => {
                self.put(Op::Unary(bits), &[a], Type::Lanes);
            }
        }
    }

    /// A row with a limit: buffer, index, limit.
    fn row(&mut self) -> (Row, Vec<Value>, Option<Value>) {
        let number = self.random.below(BUFFERS as usize) as u32;
        let base = self.kernel.buffer(number);
        let limit = self.kernel.put(Op::Length(number), &[], Type::Word);
        let index = self.pick(Type::Word);
        let mask = (self.random.below(2) == 0).then(|| self.pick(Type::Mask));
        let row = Row {
            offset: 0,
            is_limited: true,
            is_masked: mask.is_some(),
        };
        (row, vec![base, index, limit], mask)
    }

    fn load_statement(&mut self) {
        if self.random.below(2) == 0 {
            let (row, mut operands, mask) = self.row();
            operands.extend(mask);
            self.put(Op::LoadRow(row), &operands, Type::Lanes);
            return;
        }
        let number = self.random.below(BUFFERS as usize) as u32;
        let base = self.kernel.buffer(number);
        let limit = self.kernel.put(Op::Length(number), &[], Type::Word);
        let index = self.pick(Type::Word);
        let compare = Op::WordCompare(WordCompare::LtU);
        let exists = self.kernel.put(compare, &[index, limit], Type::Word);
        let at = self
            .kernel
            .put(Op::AdvanceOrZeros, &[base, index, exists], Type::Pointer);
        match self.random.below(2) {
            0 => self.put(Op::LoadSplat(0), &[at], Type::Lanes),
            _ => self.put(Op::LoadWord(0), &[at], Type::Word),
        };
    }

    fn store_statement(&mut self) {
        let values = self.pick(Type::Lanes);
        let (row, operands, mask) = self.row();
        let mut operands = vec![operands[0], operands[1], values, operands[2]];
        operands.extend(mask);
        self.kernel.effect(Op::StoreRow(row), &operands);
    }

    /// Gathers, scatters, atomics: at indices that exist.
    fn scattered_statement(&mut self) {
        use AtomicOp as A;
        let number = self.random.below(BUFFERS as usize) as u32;
        let base = self.kernel.buffer(number);
        let index = self.pick(Type::Lanes);
        let small = self.kernel.splat(0x7f);
        let and = Op::Binary(LaneBinary::Int(WordBinary::And));
        let index = self.kernel.put(and, &[index, small], Type::Lanes);
        let limit = self.kernel.put(Op::Length(number), &[], Type::Word);
        let limit = self.kernel.put(Op::Broadcast, &[limit], Type::Lanes);
        let mask = self.pick(Type::Mask);
        let compare = Op::MaskedCompare(LaneCompare::Int(WordCompare::LtU));
        let mask = self.kernel.put(compare, &[index, limit, mask], Type::Mask);
        let [values, expected] = std::array::from_fn(|_| self.pick(Type::Lanes));
        let sharing = self.one_of(&[AtomicScope::Thread, AtomicScope::Threads]);
        let op = self.one_of(&[
            A::Add,
            A::Sub,
            A::And,
            A::Or,
            A::Xor,
            A::MinU,
            A::MaxU,
            A::MinS,
            A::MaxS,
            A::Exchange,
        ]);
        match self.random.below(5) {
            4 => self
                .kernel
                .effect(Op::ScatterHalves(0), &[base, index, values, mask]),
            0 => {
                self.put(Op::Gather(0), &[base, index, mask], Type::Lanes);
            }
            1 => self
                .kernel
                .effect(Op::Scatter(0), &[base, index, values, mask]),
            2 => {
                self.put(
                    Op::Atomic(op, sharing, 0),
                    &[base, index, values, mask],
                    Type::Lanes,
                );
            }
            _ => {
                let operands = [base, index, expected, values, mask];
                self.put(Op::CompareExchange(sharing, 0), &operands, Type::Lanes);
            }
        }
    }

    /// From one type to another.
    fn crossing_statement(&mut self) {
        let (word, lanes, mask) = (
            self.pick(Type::Word),
            self.pick(Type::Lanes),
            self.pick(Type::Mask),
        );
        let lane = self.random.below(self.kernel.function.lanes as usize) as u8;
        let axis = self.random.below(3) as u8;
        match self.random.below(6) {
            0 => self.put(Op::Broadcast, &[word], Type::Lanes),
            1 => self.put(Op::Extract(lane), &[lanes], Type::Word),
            2 => self.put(Op::Any, &[mask], Type::Word),
            3 => self.put(Op::Ballot, &[mask], Type::Word),
            4 => self.put(Op::FromBallot, &[word], Type::Mask),
            _ => self.put(
                Op::ContextField(ContextField::WorkgroupId(axis)),
                &[],
                Type::Word,
            ),
        };
    }

    /// Some statements, with branches and loops among them.
    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(12) {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            match self.random.below(10) {
                0 if depth < 4 => self.branch(depth + 1),
                1 if depth < 3 => self.repeat(depth + 1),
                _ => self.statement(),
            }
        }
    }

    /// A value of each type, to be passed on.
    fn arguments(&mut self, types: &[Type]) -> Vec<Value> {
        types.iter().map(|ty| self.pick(*ty)).collect()
    }

    fn types(&mut self) -> Vec<Type> {
        (0..self.random.below(5))
            .map(|_| TYPES[self.random.below(3)])
            .collect()
    }

    fn branch(&mut self, depth: u32) {
        let [yes, no, join] = std::array::from_fn(|_| self.kernel.function.add_block());
        let ty = self.one_of(&[Type::Word, Type::Mask]);
        let condition = self.pick(ty);
        let types = self.types();
        let parameters: Vec<_> = types
            .iter()
            .map(|ty| self.kernel.function.add_parameter(join, *ty))
            .collect();
        let known = self.values.len();
        // Sometimes the second edge goes to the join directly.
        let is_short = self.random.below(3) == 0;
        let other = if is_short {
            Edge {
                block: join,
                arguments: self.arguments(&types),
            }
        } else {
            Edge::to(no)
        };
        self.kernel
            .end(Terminator::Branch(condition, Edge::to(yes), other), yes);
        self.statements(depth);
        let arguments = self.arguments(&types);
        self.kernel.end(
            Terminator::Jump(Edge {
                block: join,
                arguments,
            }),
            no,
        );
        self.values.truncate(known);
        if !is_short {
            self.statements(depth);
            let arguments = self.arguments(&types);
            self.kernel.end(
                Terminator::Jump(Edge {
                    block: join,
                    arguments,
                }),
                join,
            );
            self.values.truncate(known);
        }
        self.kernel.block = join;
        self.values.extend(parameters);
    }

    fn repeat(&mut self, depth: u32) {
        let [head, done] = std::array::from_fn(|_| self.kernel.function.add_block());
        let types = self.types();
        let zero = self.kernel.word(0);
        let mut arguments = vec![zero];
        arguments.extend(self.arguments(&types));
        self.kernel.end(
            Terminator::Jump(Edge {
                block: head,
                arguments,
            }),
            head,
        );
        let count = self.kernel.function.add_parameter(head, Type::Word);
        let known = self.values.len();
        let carried = types
            .iter()
            .map(|ty| self.kernel.function.add_parameter(head, *ty));
        let carried: Vec<_> = carried.collect();
        self.values.extend(carried);
        self.kernel.effect(Op::Poll(0), &[]);
        self.statements(depth);
        let one = self.kernel.word(1);
        let next = self.kernel.binary(WordBinary::Add, count, one);
        let times = self.random.below(4) as u32;
        let times = self.kernel.word(times);
        let compare = Op::WordCompare(WordCompare::LtU);
        let more = self.kernel.put(compare, &[next, times], Type::Word);
        let mut arguments = vec![next];
        arguments.extend(self.arguments(&types));
        let results = self.types();
        let passed = self.arguments(&results);
        let again = Edge {
            block: head,
            arguments,
        };
        let end = Edge {
            block: done,
            arguments: passed,
        };
        self.kernel.end(Terminator::Branch(more, again, end), done);
        self.values.truncate(known);
        for ty in results {
            let parameter = self.kernel.function.add_parameter(done, ty);
            self.values.push(parameter);
        }
    }

    /// Stores all live values.
    fn finish(mut self) -> Function {
        let base = self
            .kernel
            .put(Op::Base(Space::Workgroup), &[], Type::Pointer);
        let values = std::mem::take(&mut self.values);
        for (number, value) in values.iter().rev().take(16).enumerate() {
            let lanes = match self.kernel.function.type_of(*value) {
                Type::Lanes => *value,
                Type::Word => self.kernel.put(Op::Broadcast, &[*value], Type::Lanes),
                _ => {
                    let word = self.kernel.put(Op::Ballot, &[*value], Type::Word);
                    self.kernel.put(Op::Broadcast, &[word], Type::Lanes)
                }
            };
            let at = self.kernel.word(number as u32 * 16);
            self.kernel
                .effect(Op::StoreRow(crate::kernel::PLAIN), &[base, at, lanes]);
        }
        self.kernel.finish()
    }
}

fn memory(seed: u64) -> Memory {
    let mut random = Random::new(seed);
    let buffers = (0..BUFFERS).map(|_| {
        let words = 1 + random.below(120);
        (0..words).map(|_| random.value()).collect()
    });
    Memory {
        buffers: buffers.collect(),
        workgroup: vec![0; 16 * 16],
        immediates: Vec::new(),
        constants: Vec::new(),
    }
}

fn random_function(lanes: u32, seed: u64) -> Function {
    let mut growing = Growing::new(lanes, seed);
    while growing.left > 0 {
        growing.statements(0);
    }
    growing.finish()
}

#[test]
fn random_functions() {
    let seeds = std::env::var("ANYWARP_CODEGEN_SEEDS")
        .ok()
        .map_or(SEEDS, |text| text.parse().unwrap());
    for target in targets() {
        for seed in 0..seeds {
            let function = random_function(target.lanes(), seed);
            verify(&function).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{function}"));
            agree(&function, target, &memory(seed), 2, Equal::Bits);
        }
    }
}

#[test]
fn over_budget_registers_are_chosen_in_a_single_pass() {
    let mut single = 0;
    for target in targets() {
        for seed in 0..40 {
            let function = random_function(target.lanes(), seed);
            let mut compiler = Compiler::default();
            let meter = Meter::unlimited();
            let code = compiler.compile_within(&function, target, &meter).unwrap();
            assert_eq!(code.size().allocator, Allocator::Backtracking);
            // One step less, or no memory for the sets of live values.
            let limits = match seed % 2 {
                0 => WorkLimits::UNLIMITED.with_steps(meter.steps() - 1),
                _ => WorkLimits::UNLIMITED.with_bytes(0),
            };
            let code = compiler.compile_within(&function, target, &Meter::new(limits));
            let code = match code {
                Ok(code) => code,
                // Nothing is alive across blocks.
                Err(CompileError::OverBudget(_)) => continue,
                Err(error) => panic!("{error}"),
            };
            assert_eq!(code.size().allocator, Allocator::SinglePass);
            agree_with(&function, &code, &memory(seed), 2, Equal::Bits);
            single += 1;
        }
        let function = random_function(target.lanes(), 0);
        let meter = Meter::new(WorkLimits::UNLIMITED.with_steps(1));
        let error = Compiler::default().compile_within(&function, target, &meter);
        assert!(matches!(error, Err(CompileError::OverBudget(_))));
    }
    assert!(single > 20 || targets().is_empty(), "{single}");
}
