//! A generator of random valid functions, by seed, and of memory to run them on.
//!
//! For tests of the printer, passes and code generators. What always holds: a function terminates, accesses only memory
//! that [`memory`] has, and gives the same bits wherever it runs, because every NaN is replaced by the same NaN before
//! it can be observed. Barriers are only in uniform control flow.

mod access;
mod block;
mod call;
mod lanes;

pub use lanes::{FLOAT_BINARY, FLOAT_COMPARE, UNARY, WORD_BINARY, WORD_COMPARE};

use crate::bounds::{BufferExtent, Extents};
use crate::evaluate::Memory;
use crate::ir::{CallOutcome, Function, Inst, Kind, Op, Space, Terminator, Type, Value};

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use smallvec::SmallVec;

/// A pseudorandom number generator (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// A generator with a seed.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A random number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// True with probability `1 / times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A random element of a slice, which is not empty.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// 32 bits as programs have them: small numbers, floats, and edge cases.
    pub fn word(&mut self) -> u32 {
        let bits = self.bits();
        match bits % 8 {
            0 | 1 => (bits >> 8) as u32 % 64,
            2 => ((bits >> 8) as u32 % 64).wrapping_neg(),
            3 | 4 => ((bits >> 8 & 0xffff) as f32 / 256.0 - 128.0).to_bits(),
            5 => self.pick(&[
                0,
                0x8000_0000,
                0x7f80_0000,
                0xff80_0000,
                0x7fc0_0000,
                1,
                u32::MAX,
                0x7fff_ffff,
                0x4f00_0000,
            ]),
            _ => (bits >> 32) as u32,
        }
    }
}

/// The number of buffers that functions use.
pub const BUFFERS: u32 = 3;

/// The words of workgroup memory that functions use.
pub const WORKGROUP_WORDS: u32 = 64;

/// The words of immediate data, and of constants, that functions use.
pub const IMMEDIATE_WORDS: u32 = 4;

/// The bytes of frame memory that functions address.
const FRAME_BYTES: u32 = 256;

/// Memory for a random function. Buffers have any size, also 0.
pub fn memory(seed: u64) -> Memory {
    let mut random = Random::new(seed ^ 0x6d65_6d6f_7279);
    let mut words = |count: usize| (0..count).map(|_| random.word()).collect::<Vec<_>>();
    let sizes = [seed as usize % 97, 64, seed as usize / 97 % 40];
    Memory {
        buffers: sizes.map(&mut words).to_vec(),
        workgroup: words(WORKGROUP_WORDS as usize),
        immediates: words(IMMEDIATE_WORDS as usize),
        constants: words(IMMEDIATE_WORDS as usize),
    }
}

/// The sizes of [`memory`], for the bounds verifier, in workgroups of a number of subgroups.
pub fn extents(subgroups: u32) -> Extents {
    Extents {
        buffers: vec![BufferExtent::Words(0); BUFFERS as usize],
        workgroup_words: WORKGROUP_WORDS,
        immediate_words: IMMEDIATE_WORDS,
        constant_words: IMMEDIATE_WORDS,
        subgroups: Some(subgroups),
        ..Extents::default()
    }
}

/// A random function of about `size` statements, with 8 or 16 lanes.
pub fn function(seed: u64, lanes: u32, size: usize) -> Function {
    let mut generator = Generator::new(Random::new(seed), lanes, size);
    generator.begin();
    while generator.left > 0 {
        generator.statement(0);
    }
    generator.end();
    generator.function
}

pub use call::functions;

/// A function that is being generated.
struct Generator {
    random: Random,
    function: Function,
    /// The current block.
    block: crate::ir::BlockId,
    /// By type: the values that may be used here.
    pools: [Vec<Value>; 3],
    /// The number of statements still to generate.
    left: usize,
    /// Whether control flow is uniform here: every subgroup reaches this point.
    is_uniform: bool,
    /// The byte offset of the function's memory in the frame.
    frame: u32,
    /// The callees.
    callees: Vec<call::Callee>,
}

/// The types with pools of values. Pointers are computed where they are needed.
const DRAWN: [Type; 3] = [Type::Word, Type::Lanes, Type::Mask];

impl Generator {
    fn new(random: Random, lanes: u32, size: usize) -> Self {
        Self {
            random,
            function: Function::new(lanes),
            block: Function::ENTRY,
            pools: Default::default(),
            left: size,
            is_uniform: true,
            frame: 0,
            callees: Vec::new(),
        }
    }

    /// Generates a first value of each type, and initializes the frame.
    fn begin(&mut self) {
        self.function.frame_bytes = self.function.frame_bytes.max(self.frame + FRAME_BYTES);
        let number = self.emit(Op::ContextField(crate::ir::ContextField::Subgroup), &[]);
        let own = self.own_numbers();
        let spread = self.emit(Op::Broadcast, &[number]);
        let own = self.emit(lanes::INT_ADD, &[own, spread]);
        self.offer(number);
        self.offer(own);
        let all = self.emit(Op::Mask(self.function.all_lanes()), &[]);
        self.offer(all);
        let frame = self.emit(Op::Base(Space::Frame(self.frame)), &[]);
        for index in 0..FRAME_BYTES / 4 / self.function.lanes {
            let at = self.emit(Op::Word(index * self.function.lanes), &[]);
            self.emit(Op::StoreRow(access::PLAIN_ROW), &[frame, at, own]);
        }
    }

    /// The index of each lane.
    fn own_numbers(&mut self) -> Value {
        let numbers: Vec<u32> = (0..self.function.lanes).collect();
        let pattern = self.function.pattern(&numbers);
        self.emit(Op::Pattern(pattern), &[])
    }

    /// Stores computed values to buffers, so that they are observable, and returns.
    fn end(&mut self) {
        for step in 0..4 {
            let word = self.draw(Type::Word);
            let word = self.emit(Op::Broadcast, &[word]);
            let mask = self.draw(Type::Mask);
            let mask = self.emit(Op::Ballot, &[mask]);
            let mask = self.emit(Op::Broadcast, &[mask]);
            let lanes = self.draw(Type::Lanes);
            let all = self.emit(Op::Ternary(0x96), &[word, mask, lanes]);
            let buffer = step % BUFFERS;
            let base = self.emit(Op::Base(Space::Buffer(buffer)), &[]);
            let limit = self.emit(Op::Length(buffer), &[]);
            let index = self.emit(Op::Word(step * 7), &[]);
            let row = crate::ir::Row {
                is_limited: true,
                ..access::PLAIN_ROW
            };
            self.emit(Op::StoreRow(row), &[base, index, all, limit]);
        }
        self.terminate(Terminator::Return(CallOutcome::FINISHED));
    }

    /// Appends an instruction and returns its result, or value 0 if it has none.
    fn emit(&mut self, op: Op, operands: &[Value]) -> Value {
        let result = match op.signature().result {
            Some(Kind::Of(ty)) => Some(self.function.add_value(ty)),
            _ => None,
        };
        let inst = Inst {
            op,
            operands: SmallVec::from_slice(operands),
            result,
        };
        self.function.block_mut(self.block).insts.push(inst);
        result.unwrap_or(Value(0))
    }

    fn terminate(&mut self, terminator: Terminator) {
        self.function.block_mut(self.block).terminator = terminator;
    }

    fn pool(&mut self, ty: Type) -> &mut Vec<Value> {
        let index = DRAWN.iter().position(|drawn| *drawn == ty).unwrap_or(0);
        &mut self.pools[index]
    }

    /// A random value of a type; newer values are more likely.
    fn draw(&mut self, ty: Type) -> Value {
        let count = self.pool(ty).len();
        let (a, b) = (self.random.below(count), self.random.below(count));
        self.pool(ty)[a.max(b)]
    }

    /// Adds a value to the pool of its type.
    fn offer(&mut self, value: Value) {
        let ty = self.function.type_of(value);
        self.pool(ty).push(value);
    }
}
