//! Requests: what code asks of whoever runs it, because it takes more than instructions.
//!
//! A request is a call ([`Op::Call`]) of [`Callee::Requests`](super::Callee::Requests). It reads and writes rows, a word
//! for each lane, which lie one behind the other in the frame: the first is the number of the request in every lane, the
//! others are what the request says. What always holds: rows are written right before the call and read right behind it,
//! and only the lanes that take part have results.

use naga::MathFunction;

use crate::ir::{Function, Op, Reach, Row, Space, Type, Value};

use super::error::Result;
use super::scalar::{Scalar, Scalars};
use super::shape::Kind;
use super::{Callee, Lowering};

/// What a kernel asks of whoever runs it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// The requests, by number.
    pub list: Vec<Request>,
    /// Where their rows begin, in bytes from the beginning of the frame.
    pub at: u32,
}

impl Requests {
    /// The most rows of a request: its number, where it looks, and what it is given or gives.
    pub const ROWS: u32 = 16;
}

/// The row behind the number of the request.
const FIRST: u32 = 1;

/// Something that code asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Request {
    /// Something about a texture.
    Texture(TextureRequest),
    /// A number of 64 bits.
    Double(DoubleRequest),
}

/// An exponential, a power, a logarithm or a trigonometric function of floats of 64 bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DoubleRequest {
    /// Which function.
    pub function: MathFunction,
    /// The low and the high word of each number; zeros where there is no second one.
    pub arguments: [[Operand; 2]; 2],
    /// The row of the result's low word; the next is that of its high word.
    pub value: u32,
}

/// A number that a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// It is known now.
    Known(u32),
    /// It is in a row.
    Row(u32),
}

/// An access to a texture, or a question about it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextureRequest {
    /// Its `@group` and `@binding`.
    pub binding: (u32, u32),
    /// Which of an array of textures; 0 where there is one.
    pub element: Operand,
    /// The texel's place along x, y and z.
    pub position: [Operand; 3],
    /// The layer.
    pub layer: Operand,
    /// The mip level.
    pub level: Operand,
    /// The sample.
    pub sample: Operand,
    /// What is wanted.
    pub operation: TextureOperation,
    /// The first row of the value, or of the result.
    pub value: u32,
}

/// What is done to a texture, or asked about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureOperation {
    /// Gives the first words of a texel's value.
    Load(u8),
    /// Gives four numbers of 64 bits, of which the texel has the first.
    Load64,
    /// Stores four words.
    Store,
    /// Stores the first number, of 64 bits.
    Store64,
    /// Changes a texel of one word.
    Atomic(TextureAtomic),
    /// Changes a texel of two words.
    Atomic64(TextureAtomic),
    /// Gives the size of a level along the first axes.
    Size(u8),
    /// Gives the number of mip levels.
    Levels,
    /// Gives the number of layers, or of cubes.
    Layers,
    /// Gives the number of samples.
    Samples,
}

/// How a texel is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureAtomic {
    /// Adds.
    Add,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The smaller unsigned number.
    MinU,
    /// The larger unsigned number.
    MaxU,
    /// The smaller signed number.
    MinS,
    /// The larger signed number.
    MaxS,
}

/// The rows of a request that is being put together.
pub(super) struct Rows {
    /// What is in them, behind the number of the request.
    values: Vec<Value>,
    is_same: bool,
}

impl Rows {
    pub(super) fn new() -> Self {
        Self {
            values: Vec::new(),
            is_same: true,
        }
    }

    /// Whether there is nothing in them.
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The row that comes next.
    pub(super) fn next(&self) -> u32 {
        FIRST + self.values.len() as u32
    }
}

impl Lowering<'_> {
    /// A number that a request needs, in a row unless it is known.
    pub(super) fn operand(&mut self, rows: &mut Rows, scalar: &Scalar) -> Operand {
        match *scalar {
            Scalar::Known(word) => Operand::Known(word),
            _ => Operand::Row(self.push_row(rows, scalar)),
        }
    }

    /// Puts a number into the next row.
    pub(super) fn push_row(&mut self, rows: &mut Rows, scalar: &Scalar) -> u32 {
        let row = rows.next();
        rows.values.push(self.lanes(scalar));
        rows.is_same &= scalar.is_same();
        row
    }

    /// Asks for something that gives nothing, for the lanes that take part.
    pub(super) fn tell(&mut self, request: Request, rows: &Rows) {
        let exec = self.exec_mask();
        let lanes = self.emit(Op::Ballot, &[exec], Type::Word);
        self.call_for(request, rows, lanes);
    }

    /// Asks for numbers of some kinds, which are in the rows from the first on. Where nothing differs between lanes,
    /// one lane asks for all.
    pub(super) fn ask(
        &mut self,
        request: Request,
        rows: &Rows,
        first: u32,
        kinds: &[Kind],
    ) -> Result<Scalars> {
        let lanes = match rows.is_same {
            true => self.word_const(1),
            false => {
                let exec = self.exec_mask();
                self.emit(Op::Ballot, &[exec], Type::Word)
            }
        };
        let pointer = self.call_for(request, rows, lanes);
        let mut scalars = Scalars::new();
        for (row, kind) in (first..).zip(kinds) {
            let offset = (row * self.function.lanes).cast_signed();
            scalars.push(match (rows.is_same, kind) {
                (true, Kind::Float) => {
                    Scalar::Same(self.emit(Op::LoadSplat(offset), &[pointer], Type::Lanes))
                }
                (true, _) => Scalar::Word(self.emit(Op::LoadWord(offset), &[pointer], Type::Word)),
                (false, _) => {
                    let zero = self.word_const(0);
                    let op = Op::LoadRow(plain(offset));
                    Scalar::Lanes(self.emit(op, &[pointer, zero], Type::Lanes))
                }
            });
        }
        Ok(scalars)
    }

    /// A function of floats of 64 bits that there are no instructions for.
    pub(super) fn ask_double(
        &mut self,
        function: MathFunction,
        a: &[&[Scalar]],
    ) -> Result<Scalars> {
        let mut rows = Rows::new();
        let mut arguments = [[Operand::Known(0); 2]; 2];
        for (argument, scalars) in arguments.iter_mut().zip(a) {
            for (operand, scalar) in argument.iter_mut().zip(*scalars) {
                *operand = self.operand(&mut rows, scalar);
            }
        }
        let value = rows.next();
        let request = Request::Double(DoubleRequest {
            function,
            arguments,
            value,
        });
        self.ask(request, &rows, value, &[Kind::Float; 2])
    }

    /// Asks for numbers that are the same during the whole run: once, where the function begins.
    pub(super) fn ask_once(
        &mut self,
        request: Request,
        first: u32,
        kinds: &[Kind],
    ) -> Result<Scalars> {
        if let Some(known) = self.asked.get(&request) {
            return Ok(known.clone());
        }
        let block = std::mem::replace(&mut self.block, Function::ENTRY);
        let answered = self.ask(request.clone(), &Rows::new(), first, kinds);
        self.block = block;
        let scalars = answered?;
        self.asked.insert(request, scalars.clone());
        Ok(scalars)
    }

    /// Writes the rows and calls. Gives where the rows begin.
    fn call_for(&mut self, request: Request, rows: &Rows, lanes: Value) -> Value {
        let callee = self.request_callee();
        let requests = &mut self.requests.list;
        let known = requests.iter().position(|it| *it == request);
        let number = known.unwrap_or_else(|| {
            requests.push(request);
            requests.len() - 1
        });
        let base = Op::Base(Space::Frame(self.requests.at));
        let pointer = self.emit_early(base, &[], Type::Pointer);
        let (number, zero) = (self.splat(number as u32), self.word_const(0));
        for (row, value) in (0..).zip(std::iter::once(&number).chain(&rows.values)) {
            let row = plain((row * self.function.lanes).cast_signed());
            self.effect(Op::StoreRow(row), &[pointer, zero, *value]);
        }
        self.effect(Op::Call(callee, Reach::Frame), &[lanes]);
        pointer
    }

    /// The function that answers requests. Before the first, room is made for the rows.
    fn request_callee(&mut self) -> u32 {
        if let Some(number) = self.request_callee {
            return number;
        }
        let number = self.callees.len() as u32;
        self.callees.push(Callee::Requests);
        self.request_callee = Some(number);
        self.requests.at = self.function.frame_bytes;
        self.function.frame_bytes += Requests::ROWS * self.function.lanes * 4;
        number
    }
}

/// A row whose words all exist.
fn plain(offset: i32) -> Row {
    Row {
        offset,
        is_limited: false,
        is_masked: false,
    }
}
