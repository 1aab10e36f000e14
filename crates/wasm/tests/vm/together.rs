//! Superinstructions and results held in registers do not change behaviour.
//!
//! The virtual machine keeps results in registers from one instruction to the next and fuses
//! sequences, but not across jump targets. So a program must behave the same if an unused branch
//! table makes every instruction a jump target.

use anywarp_wasm::bytecode::{Bytecode, Format, Op, Position, Type};
use anywarp_wasm::runtime::Value;
use anywarp_wasm::vm::Instance;

use super::builder::Builder;

/// Slots that random instructions use; few, so that dependences are frequent.
const SLOTS: u64 = 12;

/// Reserved slots after them.
const COUNT: u8 = 20;
const LIMIT: u8 = 21;
const STEP: u8 = 22;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn slot(&mut self) -> u8 {
        self.below(SLOTS) as u8
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }

    fn constant(&mut self) -> u32 {
        let floats = [0.0_f32, 1.0, -1.5, 2.0, f32::NAN, f32::INFINITY].map(f32::to_bits);
        let high = [0x3ff0_0000, 0xc004_0000, 0x7ff8_0000, 0x7ff0_0000];
        let integers = [0, 1, 2, 5, 31, 33, 0x80, 0x7fff, 0x8000, 0x9_0000, u32::MAX];
        match self.below(3) {
            0 => self.of(&floats),
            1 => self.of(&high),
            _ => self.of(&integers),
        }
    }
}

/// Numeric operations.
fn numbers(op: Op) -> bool {
    let name = op.name();
    let number = ["i32.", "i64.", "f32.", "f64."];
    let known = number.iter().any(|prefix| name.starts_with(prefix));
    known && matches!(op.format(), Format::Dx | Format::Dxy | Format::Dxi)
}

struct Generator {
    random: Random,
    builder: Builder,
    numbers: Vec<Op>,
}

impl Generator {
    fn number(&mut self) {
        let op = self.random.of(&self.numbers);
        let name = op.name();
        let may_trap = name.contains("div_") || name.contains("rem_") || name.contains("trunc_f");
        if may_trap && self.random.below(8) > 0 {
            return;
        }
        let operands = [(); 3].map(|()| self.random.slot());
        self.operation(op, operands);
    }

    fn operation(&mut self, op: Op, [a, b, c]: [u8; 3]) {
        match op.format() {
            Format::Dxi => {
                let constant = self.random.constant();
                self.builder.with(op, [a, b, 0], constant);
            }
            Format::Dx => {
                self.builder.op(op, [a, b, 0]);
            }
            _ => {
                self.builder.op(op, [a, b, c]);
            }
        }
    }

    /// A constant, and often an instruction that uses it.
    fn constant(&mut self) -> u8 {
        let slot = self.random.slot();
        let [low, high] = [self.random.constant(), self.random.constant()];
        match self.random.below(2) {
            0 => self.builder.constant(slot, low),
            _ => self
                .builder
                .op(Op::Const64, [slot, 0, 0])
                .word(low)
                .word(high),
        };
        slot
    }

    fn on_a_constant(&mut self) {
        let slot = self.constant();
        let op = self.random.of(&self.numbers);
        if op.format() == Format::Dxy && !op.name().contains("div") && !op.name().contains("rem") {
            let (a, other) = (self.random.slot(), self.random.slot());
            let operands = match self.random.below(4) {
                0 => [a, slot, other],
                1 => [a, slot, slot],
                _ => [a, other, slot],
            };
            self.operation(op, operands);
        }
    }

    /// A shift, and an instruction that uses its result.
    fn shift(&mut self) {
        let shifts = [Op::I32ShlConst, Op::I32ShrUConst, Op::I32RotlConst];
        let wide_shifts = [Op::I64ShlConst, Op::I64ShrUConst, Op::I64RotlConst];
        let (shift, op) = match self.random.below(2) {
            0 => (shifts, [Op::I32Add, Op::I32Or, Op::I32Xor]),
            _ => (wide_shifts, [Op::I64Add, Op::I64Or, Op::I64Xor]),
        };
        let (shift, op) = (self.random.of(&shift), self.random.of(&op));
        let [a, x, shifted, other] = [(); 4].map(|()| self.random.slot());
        let bits = self.random.below(70) as u32;
        self.builder.with(shift, [shifted, x, 0], bits);
        let operands = match self.random.below(4) {
            0 => [a, x, shifted],
            1 => [a, shifted, x],
            2 => [a, other, shifted],
            _ => [a, shifted, other],
        };
        self.builder.op(op, operands);
    }

    fn moves(&mut self) {
        let [a, b, c, z] = [(); 4].map(|()| self.random.slot());
        match self.random.below(4) {
            0 => self.builder.op(Op::Move, [a, b, 0]),
            1 => self.builder.op(Op::Move64, [a, b, 0]),
            2 => self.builder.with(Op::Select, [a, b, c], z.into()),
            _ => self.builder.with(Op::Select64, [a, b, c], z.into()),
        };
    }

    /// A load or store, mostly in bounds.
    fn access(&mut self) {
        let accesses = |op: &&Op| matches!(op.format(), Format::Load | Format::Store);
        let accesses: Vec<Op> = Op::ALL.iter().filter(accesses).copied().collect();
        let op = self.random.of(&accesses);
        let [x, y, address, value] = [(); 4].map(|()| self.random.slot());
        if self.random.below(16) > 0 {
            self.builder.with(Op::I32AndConst, [x, x, 0], 0xfff);
            self.builder.with(Op::I32AndConst, [y, y, 0], 0xfff);
        }
        match self.random.below(4) {
            0 => self.builder.with(Op::I32ShlConst, [address, x, 0], 2),
            1 => self.builder.op(Op::I32Add, [address, x, y]),
            _ => self.builder.op(Op::Move, [address, x, 0]),
        };
        let offset = self.random.below(3) as u32 * 1000;
        match op.format() {
            Format::Load => self.builder.with(op, [value, address, 0], offset),
            _ => self.builder.with(op, [address, value, 0], offset),
        };
    }

    /// A forward branch over some instructions.
    fn branch(&mut self, depth: u32) {
        let over = self.builder.label();
        let [a, b, c] = [(); 3].map(|()| self.random.slot());
        let constant = self.random.constant();
        if self.random.below(2) == 0 {
            let tests = |op: &&Op| {
                let is_test = ["eq", "ne", "lt", "gt", "le", "ge"];
                let test = op.name().split(['.', '_']).nth(1).unwrap_or("");
                is_test.contains(&test) && op.format() == Format::Dxy
            };
            let tests: Vec<Op> = self.numbers.iter().filter(tests).copied().collect();
            let op = self.random.of(&tests);
            let c = match self.random.below(2) {
                0 => self.constant(),
                _ => c,
            };
            let branch = self.random.of(&[Op::BrIf, Op::BrIfZero]);
            self.builder.op(op, [a, b, c]).jump(branch, [a, 0, 0], over);
        } else {
            let branches = |op: &&Op| op.name().starts_with("br_i");
            let branches: Vec<Op> = Op::ALL.iter().filter(branches).copied().collect();
            let op = self.random.of(&branches);
            match op.format() {
                Format::Xit => self.builder.op(op, [a, 0, 0]).word(constant).to(over),
                Format::Xyt => self.builder.jump(op, [a, b, 0], over),
                _ => self.builder.jump(op, [a, 0, 0], over),
            };
        }
        self.pieces(3, depth + 1);
        self.builder.place(over);
    }

    /// A loop that ends in one of the forms that compilers emit.
    fn repeat(&mut self) {
        let [start, end] = [self.builder.label(), self.builder.label()];
        let rounds = 1 + self.random.below(4) as u32;
        let long = 0x7654_3210;
        let way = self.random.below(8);
        let first = match way {
            0 | 1 => rounds,
            2 => long,
            _ => 0,
        };
        self.builder.constant(COUNT, first).constant(LIMIT, rounds);
        self.builder.constant(STEP, u32::MAX).place(start);
        if way >= 6 {
            self.builder
                .op(Op::BrI32GeUConst, [COUNT, 0, 0])
                .word(rounds)
                .to(end);
        }
        self.pieces(4, 1);
        let back = [COUNT, 0, 0];
        let minus = u32::MAX;
        let b = &mut self.builder;
        match way {
            0 => b
                .with(Op::I32AddConst, [COUNT, COUNT, 0], minus)
                .jump(Op::BrIf, back, start),
            1 => b
                .with(Op::I32AddConst, [COUNT, COUNT, 0], minus)
                .op(Op::BrI32NeConst, back)
                .word(0)
                .to(start),
            2 => b
                .with(Op::I32AddConst, [COUNT, COUNT, 0], 1)
                .op(Op::BrI32LtSConst, back)
                .word(long + rounds)
                .to(start),
            3 => b.with(Op::I32AddConst, [COUNT, COUNT, 0], 1).jump(
                Op::BrI32LtU,
                [COUNT, LIMIT, 0],
                start,
            ),
            4 => b.with(Op::I32AddConst, [COUNT, COUNT, 0], 1).jump(
                Op::BrI32GeS,
                [LIMIT, COUNT, 0],
                start,
            ),
            5 => b
                .op(Op::I32Sub, [COUNT, COUNT, STEP])
                .jump(Op::BrI32Ne, [LIMIT, COUNT, 0], start),
            6 => b
                .with(Op::I32AddConst, [COUNT, COUNT, 0], 1)
                .jump(Op::Jump, [0; 3], start),
            _ => b
                .op(Op::I32Sub, [COUNT, COUNT, STEP])
                .jump(Op::Jump, [0; 3], start),
        };
        self.builder.place(end);
    }

    fn pieces(&mut self, count: u64, depth: u32) {
        for _ in 0..self.random.below(count + 1) {
            match self.random.below(if depth < 2 { 12 } else { 10 }) {
                0..3 => self.number(),
                3 => self.shift(),
                4 | 5 => self.on_a_constant(),
                6 => self.moves(),
                7 | 8 => self.access(),
                9 => {
                    self.constant();
                }
                10 => self.branch(depth),
                _ if depth == 0 => self.repeat(),
                _ => {}
            }
        }
    }
}

/// Words at which instructions begin.
fn beginnings(program: &Bytecode) -> Vec<u32> {
    let mut word = 0;
    let mut all = Vec::new();
    while let Some(&first) = program.code.get(word) {
        all.push(word as u32);
        let op = Op::from_number(first as u8).expect("an opcode");
        word += match op.format() {
            Format::None | Format::Dx | Format::Dxy => 1,
            Format::Dii | Format::Xit => 3,
            _ => 2,
        };
    }
    all
}

/// The same program with every instruction as a target of a branch table.
fn with_targets(program: &Bytecode) -> Bytecode {
    let mut program = program.clone();
    let targets = beginnings(&program);
    program
        .code
        .push(u32::from_le_bytes([Op::BrTable as u8, 0, 0, 0]));
    program.code.push(targets.len() as u32 - 1);
    program.code.extend(targets);
    program
}

#[test]
fn neighbours_do_not_change_what_an_instruction_does() {
    let numbers: Vec<Op> = Op::ALL.iter().copied().filter(|&op| numbers(op)).collect();
    let (mut ended, mut trapped) = (0, 0);
    for seed in 1..=10_000_u64 {
        let mut generator = Generator {
            random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            builder: Builder::new(),
            numbers: numbers.clone(),
        };
        generator.builder.memory(1, None);
        let function = generator
            .builder
            .function(&[Type::I64; 7], &[Type::I64; 7], 32);
        generator.pieces(30, 0);
        generator.builder.ret();
        let mut random = generator.random;
        let mut program = generator.builder.finish();
        let offsets = beginnings(&program).into_iter();
        program.debug.positions = offsets
            .map(|word| Position {
                word,
                name: 0,
                offset: word,
            })
            .collect();
        let args = [(); 7].map(|()| {
            let [low, high] = [(); 2].map(|()| u64::from(random.constant()));
            Value::i64((low | high << 32) as i64)
        });
        let run = |program: &Bytecode| {
            let mut instance = Instance::new(program).expect("an instance");
            let result = instance.invoke(function, &args);
            (result, instance.read(0, 0x1_0000))
        };
        let together = run(&program);
        assert!(together == run(&with_targets(&program)), "seed {seed}");
        match together.0 {
            Ok(_) => ended += 1,
            Err(_) => trapped += 1,
        }
    }
    assert!(
        ended > 4000 && trapped > 100,
        "{ended} ended, {trapped} trapped"
    );
}

/// More iterations than the native stack could hold calls, and fewer than end a time slice.
const ROUNDS: u32 = 150_000;

/// A value of each type, in a slot of its own, and an instruction that leaves it in a register.
fn value_of(op: Op) -> (u8, Op) {
    let name = op.name();
    let from = ["i32", "i64", "f32", "f64"].map(|ty| name.rfind(ty));
    let last = (0..4).max_by_key(|&ty| from[ty]).unwrap_or(0);
    let moves = [Op::Move, Op::Move64, Op::F32Abs, Op::F64Abs];
    (100 + 2 * last as u8, moves[last])
}

#[test]
fn no_instruction_grows_the_stack() {
    let mut b = Builder::new();
    b.memory(1, None);
    b.program.globals = 2;
    let function = b.function(&[], &[Type::I32], 128);
    b.constant(100, 5).constant(104, 1.5_f32.to_bits());
    b.op(Op::Const64, [102, 0, 0]).word(5).word(0);
    b.op(Op::Const64, [106, 0, 0]).word(0).word(0x3ff8_0000);
    b.constant(0, ROUNDS);
    let top = b.label();
    b.place(top);
    for &op in Op::ALL {
        let (x, moves) = value_of(op);
        // Held in a register: nothing, the left operand, the right one; then after a constant.
        let operands = [[x, x], [20, x], [x, 20]];
        let skip = b.label();
        match op.format() {
            Format::Dx if numbers(op) => {
                b.op(op, [24, x, 0])
                    .op(moves, [20, x, 0])
                    .op(op, [24, 20, 0]);
            }
            Format::Dxi => {
                for mixes in [
                    Op::I32Add,
                    Op::I32Or,
                    Op::I32Xor,
                    Op::I64Add,
                    Op::I64Or,
                    Op::I64Xor,
                ] {
                    b.with(op, [24, x, 0], 3).op(mixes, [26, x, 24]);
                    b.op(moves, [20, x, 0]);
                    b.with(op, [24, 20, 0], 3).op(mixes, [26, 20, 24]);
                    b.op(moves, [20, x, 0]);
                    b.with(op, [24, 20, 0], 3).op(mixes, [26, x, 24]);
                }
                b.with(op, [24, x, 0], 3);
                b.op(moves, [20, x, 0]).with(op, [24, 20, 0], 3);
            }
            Format::Dxy if numbers(op) => {
                let branches = op.widths()[0] == 1 && op.widths()[1] > 0;
                for [x, y] in operands {
                    b.op(moves, [20, x.max(y), 0]).op(op, [24, x, y]);
                    if branches {
                        b.op(op, [24, x, y]).jump(Op::BrIf, [24, 0, 0], skip);
                        b.op(op, [24, x, y]).jump(Op::BrIfZero, [24, 0, 0], skip);
                    }
                    b.op(Op::Const64, [22, 0, 0]).word(1).word(0x3ff0_0000);
                    b.op(op, [24, x, 22]);
                    b.constant(22, 0x3f80_0000).op(op, [24, x, 22]);
                    if branches {
                        b.constant(22, 1).op(op, [24, x, 22]);
                        b.jump(Op::BrIf, [24, 0, 0], skip);
                    }
                }
            }
            Format::Load => {
                b.with(op, [24, 100, 0], 1).op(Op::Move, [20, 100, 0]);
                b.with(op, [24, 20, 0], 1);
                b.with(Op::I32ShlConst, [20, 100, 0], 2)
                    .with(op, [24, 20, 0], 1);
                b.op(Op::I32Add, [20, 100, 100]).with(op, [24, 20, 0], 1);
            }
            Format::Store => {
                b.with(op, [100, 102, 0], 1).op(Op::Move, [20, 100, 0]);
                b.with(op, [20, 102, 0], 1).with(op, [100, 20, 0], 1);
                b.with(Op::I32ShlConst, [20, 100, 0], 2)
                    .with(op, [20, 102, 0], 1);
                b.op(Op::I32Add, [20, 100, 100]).with(op, [20, 102, 0], 1);
            }
            Format::Xyt => {
                b.op(Op::Move, [20, 100, 0]).jump(op, [20, 100, 0], skip);
                b.jump(op, [100, 20, 0], skip).jump(op, [100, 100, 0], skip);
            }
            Format::Xit => {
                for constant in [5, 0x10_0000] {
                    b.op(op, [100, 0, 0]).word(constant).to(skip);
                }
            }
            Format::Dxyz => {
                b.with(op, [24, 100, 102], 100);
            }
            Format::Dn | Format::Xn if op.name().starts_with("global") => {
                b.op(op, [24, 0, 0]);
            }
            _ => {}
        }
        b.place(skip);
    }
    b.with(Op::I32AddConst, [0, 0, 0], u32::MAX);
    b.jump(Op::BrIf, [0, 0, 0], top).ret();
    let mut instance = Instance::new(&b.finish()).unwrap();
    assert_eq!(instance.invoke(function, &[]), Ok(vec![Value::i32(0)]));
}

#[test]
fn no_loop_grows_the_stack() {
    let ways = |op: &&Op| {
        matches!(
            op.format(),
            Format::Xt | Format::Xyt | Format::Xit | Format::T
        )
    };
    for &op in Op::ALL.iter().filter(ways) {
        for apart in [false, true] {
            let mut b = Builder::new();
            let function = b.function(&[], &[Type::I32], 8);
            let [top, end] = [b.label(), b.label()];
            b.constant(0, 0).constant(1, 0).place(top);
            b.with(Op::I32AddConst, [1, 1, 0], 1);
            b.op(Op::BrI32GtUConst, [1, 0, 0]).word(ROUNDS).to(end);
            b.with(Op::I32AddConst, [0, 0, 0], 1);
            if apart {
                b.op(Op::Nop, [0; 3]);
            }
            match op.format() {
                Format::Xit => b.op(op, [0, 0, 0]).word(ROUNDS / 2).to(top),
                Format::Xyt => b.jump(op, [0, 1, 0], top),
                _ => b.jump(op, [0; 3], top),
            };
            // With the branch not taken.
            b.jump(Op::Jump, [0; 3], top).place(end);
            b.op(Op::Move, [0, 1, 0]).ret();
            let mut instance = Instance::new(&b.finish()).unwrap();
            let rounds = Value::i32(ROUNDS as i32 + 1);
            assert_eq!(
                instance.invoke(function, &[]),
                Ok(vec![rounds]),
                "{}",
                op.name()
            );
        }
    }
}
