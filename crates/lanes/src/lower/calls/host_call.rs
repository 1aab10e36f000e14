//! Host calls: operations that the generated code delegates to the runtime.
//!
//! A host call is a call ([`Op::Call`]) of [`Callee::HostCall`]. Operands and results are
//! in consecutive rows of the frame, one word for each lane: row 0 is the number of the host call, in every lane;
//! the [`HostCall`] says which operand is in which row. What always holds: rows are written right before the call
//! and read right after it, and only active lanes have results.

use anywarp_execution::TextureOp;
use naga::MathFunction;

use crate::ir::{CalleeWrites, Function, Op, Row, Space, Type, Value};

use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::error::Result;
use crate::lower::memory::layout::ScalarType;
use crate::lower::{Callee, Lowering};

/// The host calls of a kernel, and the frame memory for their operands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostCalls {
    /// The host calls, by number.
    pub list: Vec<HostCall>,
    /// Where the rows begin, in bytes from the beginning of the frame.
    pub frame_offset: u32,
}

impl HostCalls {
    /// The most rows of a host call: its number, operands and results.
    pub const ROWS: u32 = 16;
}

/// The row after the number of the host call.
const FIRST_OPERAND: u32 = 1;

/// An operation that is delegated to the host.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HostCall {
    /// A texture access or query.
    Texture(TextureHostCall),
    /// A function of `f64`.
    F64(F64HostCall),
}

/// An exponential, power, logarithm or trigonometric function of `f64`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct F64HostCall {
    /// The function.
    pub function: MathFunction,
    /// The low and the high word of each argument; zeros for an absent second argument.
    pub arguments: [[Operand; 2]; 2],
    /// The row of the result's low word; the next row is its high word.
    pub value: u32,
}

/// An operand of a host call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A compile-time constant.
    Known(u32),
    /// The row that holds the operand.
    Row(u32),
}

/// A texture access or query.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextureHostCall {
    /// `@group` and `@binding` of the texture.
    pub binding: (u32, u32),
    /// The index into an array of textures; 0 if it is not an array.
    pub element: Operand,
    /// Texel coordinates along x, y and z.
    pub position: [Operand; 3],
    /// The array layer.
    pub layer: Operand,
    /// The mip level.
    pub level: Operand,
    /// The sample.
    pub sample: Operand,
    /// The operation.
    pub operation: TextureOp,
    /// The first row of the value to write, or of the result.
    pub value: u32,
}

/// The operand rows of a host call that is being built.
pub(in crate::lower) struct OperandRows {
    /// The rows after the number of the host call.
    values: Vec<Value>,
    is_uniform: bool,
}

impl OperandRows {
    pub(in crate::lower) fn new() -> Self {
        Self {
            values: Vec::new(),
            is_uniform: true,
        }
    }

    /// Whether there are no operand rows.
    pub(in crate::lower) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The index of the next row.
    pub(in crate::lower) fn next(&self) -> u32 {
        FIRST_OPERAND + self.values.len() as u32
    }
}

impl Lowering<'_> {
    /// An operand; it takes a row unless it is constant.
    pub(in crate::lower) fn operand(&mut self, rows: &mut OperandRows, scalar: &Scalar) -> Operand {
        match *scalar {
            Scalar::Known(word) => Operand::Known(word),
            _ => Operand::Row(self.push_row(rows, scalar)),
        }
    }

    /// Appends a number as a row.
    pub(in crate::lower) fn push_row(&mut self, rows: &mut OperandRows, scalar: &Scalar) -> u32 {
        let row = rows.next();
        rows.values.push(self.lanes(scalar));
        rows.is_uniform &= scalar.is_uniform();
        row
    }

    /// Makes a host call without results, for the active lanes.
    pub(in crate::lower) fn host_effect(&mut self, request: HostCall, rows: &OperandRows) {
        let exec = self.exec_mask();
        let lanes = self.emit(Op::Ballot, &[exec], Type::Word);
        self.call_for(request, rows, lanes);
    }

    /// Makes a host call with results of the given kinds, in the rows from `first` on. If all operands are uniform,
    /// one lane makes the call for all.
    pub(in crate::lower) fn host_call(
        &mut self,
        request: HostCall,
        rows: &OperandRows,
        first: u32,
        kinds: &[ScalarType],
    ) -> Result<Scalars> {
        let lanes = if rows.is_uniform {
            self.word_const(1)
        } else {
            let exec = self.exec_mask();
            self.emit(Op::Ballot, &[exec], Type::Word)
        };
        let pointer = self.call_for(request, rows, lanes);
        let mut scalars = Scalars::new();
        for (row, kind) in (first..).zip(kinds) {
            let offset = (row * self.function.lanes).cast_signed();
            scalars.push(match (rows.is_uniform, kind) {
                (true, ScalarType::Float) => {
                    Scalar::UniformLanes(self.emit(Op::LoadSplat(offset), &[pointer], Type::Lanes))
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

    /// A function of `f64` for which there are no instructions.
    pub(in crate::lower) fn f64_host_call(
        &mut self,
        function: MathFunction,
        a: &[&[Scalar]],
    ) -> Result<Scalars> {
        let mut rows = OperandRows::new();
        let mut arguments = [[Operand::Known(0); 2]; 2];
        for (argument, scalars) in arguments.iter_mut().zip(a) {
            for (operand, scalar) in argument.iter_mut().zip(*scalars) {
                *operand = self.operand(&mut rows, scalar);
            }
        }
        let value = rows.next();
        let request = HostCall::F64(F64HostCall {
            function,
            arguments,
            value,
        });
        self.host_call(request, &rows, value, &[ScalarType::Float; 2])
    }

    /// Makes a host call whose results are constant during the run: once per function, in its first block.
    pub(in crate::lower) fn host_call_once(
        &mut self,
        request: HostCall,
        first: u32,
        kinds: &[ScalarType],
    ) -> Result<Scalars> {
        if let Some(known) = self.body.cached_host_calls.get(&request) {
            return Ok(known.clone());
        }
        let block = std::mem::replace(&mut self.control.block, Function::ENTRY);
        let answered = self.host_call(request.clone(), &OperandRows::new(), first, kinds);
        self.control.block = block;
        let scalars = answered?;
        self.body.cached_host_calls.insert(request, scalars.clone());
        Ok(scalars)
    }

    /// Writes the rows and makes the call. Returns the address of the rows.
    fn call_for(&mut self, request: HostCall, rows: &OperandRows, lanes: Value) -> Value {
        let callee = self.host_callee();
        let requests = &mut self.host.calls.list;
        let known = requests.iter().position(|known| *known == request);
        let number = known.unwrap_or_else(|| {
            requests.push(request);
            requests.len() - 1
        });
        let base = Op::Base(Space::Frame(self.host.calls.frame_offset));
        let pointer = self.emit_early(base, &[], Type::Pointer);
        let (number, zero) = (self.splat(number as u32), self.word_const(0));
        for (row, value) in (0..).zip(std::iter::once(&number).chain(&rows.values)) {
            let row = plain((row * self.function.lanes).cast_signed());
            self.effect(Op::StoreRow(row), &[pointer, zero, *value]);
        }
        self.effect(Op::Call(callee, CalleeWrites::Frame), &[lanes]);
        pointer
    }

    /// The callee number of the host. Allocates the rows at the first host call.
    fn host_callee(&mut self) -> u32 {
        if let Some(number) = self.host.callee {
            return number;
        }
        let number = self.callees.list.len() as u32;
        self.callees.list.push(Callee::HostCall);
        self.host.callee = Some(number);
        self.host.calls.frame_offset = self.function.frame_bytes;
        self.function.frame_bytes += HostCalls::ROWS * self.function.lanes * 4;
        number
    }
}

/// A row access without a limit.
fn plain(offset: i32) -> Row {
    Row {
        offset,
        is_limited: false,
        is_masked: false,
    }
}
