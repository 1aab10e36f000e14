//! A builder of small functions, and the values that they are tried with.

use anywarp_lanes::ir::{
    BlockId, CallOutcome, ContextField, Function, Inst, Op, Row, Space, Terminator, Type, Value,
    WordBinary,
};

/// A function with one open block.
pub(crate) struct Kernel {
    pub(crate) function: Function,
    pub(crate) block: BlockId,
}

/// A row without limit and mask.
pub(crate) const PLAIN: Row = Row {
    offset: 0,
    is_limited: false,
    is_masked: false,
};

impl Kernel {
    pub(crate) fn new(lanes: u32) -> Self {
        Self {
            function: Function::new(lanes),
            block: Function::ENTRY,
        }
    }

    /// An instruction with a result.
    pub(crate) fn put(&mut self, op: Op, operands: &[Value], ty: Type) -> Value {
        let result = self.function.add_value(ty);
        self.inst(op, operands, Some(result));
        result
    }

    /// An instruction without one.
    pub(crate) fn effect(&mut self, op: Op, operands: &[Value]) {
        self.inst(op, operands, None);
    }

    fn inst(&mut self, op: Op, operands: &[Value], result: Option<Value>) {
        let operands = operands.iter().copied().collect();
        self.function.block_mut(self.block).insts.push(Inst {
            op,
            operands,
            result,
        });
    }

    pub(crate) fn word(&mut self, word: u32) -> Value {
        self.put(Op::Word(word), &[], Type::Word)
    }

    pub(crate) fn splat(&mut self, word: u32) -> Value {
        self.put(Op::Splat(word), &[], Type::Lanes)
    }

    pub(crate) fn binary(&mut self, op: WordBinary, a: Value, b: Value) -> Value {
        self.put(Op::WordBinary(op), &[a, b], Type::Word)
    }

    pub(crate) fn buffer(&mut self, number: u32) -> Value {
        self.put(Op::Base(Space::Buffer(number)), &[], Type::Pointer)
    }

    /// The first word of the subgroup: its number times the lanes.
    pub(crate) fn first(&mut self) -> Value {
        let subgroup = self.put(Op::ContextField(ContextField::Subgroup), &[], Type::Word);
        let lanes = self.word(self.function.lanes);
        self.binary(WordBinary::Mul, subgroup, lanes)
    }

    /// The subgroup's row of a buffer; in memory until it is used, or at once in a register.
    pub(crate) fn row(&mut self, number: u32, first: Value, is_in_register: bool) -> Value {
        let base = self.buffer(number);
        if !is_in_register {
            return self.put(Op::LoadRow(PLAIN), &[base, first], Type::Lanes);
        }
        let limit = self.put(Op::Length(number), &[], Type::Word);
        let row = Row {
            is_limited: true,
            ..PLAIN
        };
        self.put(Op::LoadRow(row), &[base, first, limit], Type::Lanes)
    }

    /// The subgroup's word of a buffer.
    pub(crate) fn own_word(&mut self, number: u32) -> Value {
        let base = self.buffer(number);
        let subgroup = self.put(Op::ContextField(ContextField::Subgroup), &[], Type::Word);
        let pointer = self.put(Op::Advance, &[base, subgroup], Type::Pointer);
        self.put(Op::LoadWord(0), &[pointer], Type::Word)
    }

    /// The subgroup's word of a buffer as a mask.
    pub(crate) fn own_mask(&mut self, number: u32) -> Value {
        let word = self.own_word(number);
        self.put(Op::FromBallot, &[word], Type::Mask)
    }

    /// Stores the subgroup's row.
    pub(crate) fn store(&mut self, number: u32, first: Value, values: Value) {
        let base = self.buffer(number);
        self.effect(Op::StoreRow(PLAIN), &[base, first, values]);
    }

    /// Stores the word of a subgroup, in all words of its row.
    pub(crate) fn store_word(&mut self, number: u32, first: Value, word: Value) {
        let lanes = self.put(Op::Broadcast, &[word], Type::Lanes);
        self.store(number, first, lanes);
    }

    /// Ends the block and begins another.
    pub(crate) fn end(&mut self, terminator: Terminator, next: BlockId) {
        self.function.block_mut(self.block).terminator = terminator;
        self.block = next;
    }

    /// Ends the function.
    pub(crate) fn finish(mut self) -> Function {
        self.function.block_mut(self.block).terminator = Terminator::Return(CallOutcome::FINISHED);
        self.function
    }
}

/// Edge cases, as integers and as floats.
pub(crate) const EDGES: &[u32] = &[
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    0xff,
    0x100,
    0xffff,
    0x0001_0000,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_ffff,
    0xffff_fffe,
    0xffff_ff00,
    0x1234_5678,
    0xfedc_ba98,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0xbf00_0000,
    0x3fc0_0000,
    0x4020_0000,
    0xc020_0000,
    0x3eff_ffff,
    0x0080_0000,
    0x007f_ffff,
    0x807f_ffff,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_0000,
    0x7f80_0001,
    0x4b80_0000,
    0x4b00_0001,
    0x4f00_0000,
    0x4eff_ffff,
    0xcf00_0000,
    0xcf00_0001,
    0x4f80_0000,
    0x4f7f_ffff,
    0x5f00_0000,
    0x4300_0000,
    0xc316_0000,
    0x4480_0000,
    0xc480_0000,
    0x477f_f000,
    0x3380_0000,
    0x3300_0001,
];

/// A pseudo-random generator; the same seed gives the same numbers.
pub(crate) struct Random(anywarp_test_support::Random);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(anywarp_test_support::Random::new(seed))
    }

    pub(crate) fn word(&mut self) -> u32 {
        self.0.word()
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.below(end)
    }

    /// An edge case, or a random word.
    pub(crate) fn value(&mut self) -> u32 {
        match self.below(3) {
            0 => self.word(),
            _ => EDGES[self.below(EDGES.len())],
        }
    }
}

/// All combinations of edge cases for a number of operands, and some random numbers, in whole rows.
pub(crate) fn inputs(operands: usize, lanes: usize) -> Vec<Vec<u32>> {
    let count = EDGES.len();
    let mut random = Random::new(operands as u64);
    let mut columns = vec![Vec::new(); operands];
    let total = match operands {
        1 => count,
        2 => count * count,
        _ => 4096,
    };
    for number in 0..total {
        for (index, column) in columns.iter_mut().enumerate() {
            column.push(match operands {
                1 => EDGES[number],
                2 => {
                    EDGES[if index == 0 {
                        number / count
                    } else {
                        number % count
                    }]
                }
                _ => random.value(),
            });
        }
    }
    while columns[0].len() < total + 256 || !columns[0].len().is_multiple_of(lanes) {
        for column in &mut columns {
            column.push(random.word());
        }
    }
    columns
}
