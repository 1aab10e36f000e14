//! Executes one call of a function, instruction by instruction.

use super::memory::{Memory, Pointer, RuntimeValue, Words};
use super::{EvaluateError, InstructionError, Subgroup, WorkgroupInputs, pass_arguments};
use crate::arithmetic;
use crate::ir::{
    BlockId, CallOutcome, ContextField, Edge, F64Half, Function, Inst, LaneBinary, LaneCompare, Op,
    Row, Space, Terminator, Type, Value,
};

/// A call that is being executed.
pub(super) struct Activation<'r> {
    pub(super) function: &'r Function,
    /// The callees, by number.
    pub(super) callees: &'r [Function],
    pub(super) run: &'r WorkgroupInputs,
    /// The run is cancelled when the budget has fewer steps left than this.
    pub(super) cancel_at: u64,
    pub(super) memory: &'r mut Memory,
    pub(super) subgroup: &'r mut Subgroup,
}

/// The result of an instruction.
type Step<T = RuntimeValue> = Result<T, InstructionError>;

impl<'r> Activation<'r> {
    /// Executes to the end of the call.
    pub(super) fn call(&mut self, budget: &mut u64) -> Result<CallOutcome, EvaluateError> {
        let function = self.function;
        let mut block = self.subgroup.block;
        loop {
            for (index, inst) in function.block(block).insts.iter().enumerate() {
                spend(budget, block)?;
                if let Op::Poll(number) = inst.op {
                    if self.run.is_cancelled || *budget < self.cancel_at {
                        return Ok(CallOutcome::cancelled(number));
                    }
                    continue;
                }
                if let Op::Call(number, _) = inst.op {
                    let lanes = self
                        .word(inst.operands[0])
                        .map_err(|error| error.at(block, index, inst))?;
                    let Some(callee) = self.callees.get(number as usize) else {
                        let error = InstructionError::NoFunction(number);
                        return Err(error.at(block, index, inst));
                    };
                    match self.nested(callee, number, lanes, budget)? {
                        CallOutcome::FINISHED => continue,
                        outcome => return Ok(outcome),
                    }
                }
                let value = self
                    .step(inst)
                    .map_err(|error| error.at(block, index, inst))?;
                if let Some(result) = inst.result {
                    self.subgroup.values[result.index()] = value;
                }
            }
            spend(budget, block)?;
            match &function.block(block).terminator {
                Terminator::Jump(edge) => block = self.follow(edge),
                Terminator::Branch(condition, yes, no) => {
                    let is_taken = match self.subgroup.values[condition.index()] {
                        Some(RuntimeValue::Word(bits) | RuntimeValue::Mask(bits)) => bits != 0,
                        _ => false,
                    };
                    block = self.follow(if is_taken { yes } else { no });
                }
                Terminator::Return(outcome) => return Ok(*outcome),
                Terminator::Suspend(number, next) => {
                    self.subgroup.block = *next;
                    return Ok(CallOutcome(*number));
                }
                Terminator::Resume(blocks) => block = blocks[self.subgroup.barrier as usize],
            }
        }
    }

    /// Calls a function, which uses the same frame.
    fn nested(
        &mut self,
        callee: &Function,
        number: u32,
        lanes: u32,
        budget: &mut u64,
    ) -> Result<CallOutcome, EvaluateError> {
        let mut subgroup = Subgroup {
            values: vec![None; callee.types.len()],
            frame: std::mem::take(&mut self.subgroup.frame),
            slots: std::mem::take(&mut self.subgroup.slots),
            block: Function::ENTRY,
            barrier: 0,
            participants: lanes & callee.all_lanes(),
            number: self.subgroup.number,
        };
        let mut machine = Activation {
            function: callee,
            // A callee calls only functions with lower numbers, so that there is no recursion.
            callees: &self.callees[..number as usize],
            run: self.run,
            cancel_at: self.cancel_at,
            memory: self.memory,
            subgroup: &mut subgroup,
        };
        let outcome = machine.call(budget);
        self.subgroup.frame = subgroup.frame;
        self.subgroup.slots = subgroup.slots;
        outcome
    }

    fn follow(&mut self, edge: &Edge) -> BlockId {
        let parameters = &self.function.block(edge.block).parameters;
        pass_arguments(&mut self.subgroup.values, parameters, &edge.arguments);
        edge.block
    }

    /// Executes an instruction and returns its result.
    fn step(&mut self, inst: &'r Inst) -> Step<Option<RuntimeValue>> {
        let of = |index: usize| inst.operands[index];
        let value = match inst.op {
            Op::Word(bits) => RuntimeValue::Word(bits),
            Op::ContextField(field) => RuntimeValue::Word(self.field(field)),
            Op::Base(space) => RuntimeValue::Pointer(Pointer::to(space)),
            Op::Length(number) => match self.memory.buffers.get(number as usize) {
                Some(buffer) => RuntimeValue::Word(buffer.len() as u32),
                None => return Err(InstructionError::NoBuffer(number)),
            },
            Op::WordBinary(op) => {
                let (a, b) = (self.word(of(0))?, self.word(of(1))?);
                RuntimeValue::Word(arithmetic::word_binary(op, a, b))
            }
            Op::WordCompare(op) => {
                let (a, b) = (self.word(of(0))?, self.word(of(1))?);
                RuntimeValue::Word(u32::from(arithmetic::word_compare(op, a, b)))
            }
            Op::WordSelect => {
                let is_first = self.word(of(0))? != 0;
                RuntimeValue::Word(self.word(of(if is_first { 1 } else { 2 }))?)
            }
            Op::Any => RuntimeValue::Word(u32::from(self.mask(of(0))? != 0)),
            Op::Ballot => RuntimeValue::Word(self.mask(of(0))?),
            Op::FromBallot => RuntimeValue::Mask(self.word(of(0))? & self.function.all_lanes()),
            Op::Extract(lane) => RuntimeValue::Word(self.lanes(of(0))?[usize::from(lane)]),
            Op::LoadWord(offset) => RuntimeValue::Word(self.load(of(0), offset)?),
            // In the evaluator, an entry has the number of a buffer instead of an address.
            Op::LoadPointer(offset) => {
                let number = self.load(of(0), offset)?;
                RuntimeValue::Pointer(Pointer::to(Space::Buffer(number)))
            }
            Op::LoadSplat(offset) => {
                let word = self.load(of(0), offset)?;
                self.each(|_| word)
            }
            Op::Advance => {
                let (pointer, words) = (self.pointer(of(0))?, self.word(of(1))?);
                RuntimeValue::Pointer(pointer.advanced(i64::from(words)))
            }
            Op::AdvanceOrZeros => {
                let (pointer, words) = (self.pointer(of(0))?, self.word(of(1))?);
                RuntimeValue::Pointer(match self.word(of(2))? {
                    0 => Pointer::ZEROS,
                    _ => pointer.advanced(i64::from(words)),
                })
            }
            Op::Mask(bits) => RuntimeValue::Mask(bits),
            Op::MaskBinary(op) => {
                let (a, b) = (self.mask(of(0))?, self.mask(of(1))?);
                RuntimeValue::Mask(arithmetic::mask_binary(op, a, b))
            }
            Op::Compare(op) => self.compare(op, of(0), of(1), u32::MAX)?,
            Op::MaskedCompare(op) => self.compare(op, of(0), of(1), self.mask(of(2))?)?,
            Op::FrameStore(offset) => return self.frame_store(offset, of(0)).map(|()| None),
            Op::FrameLoad(offset) => self.frame_load(offset, inst.result)?,
            Op::ActiveLanes => RuntimeValue::Word(self.subgroup.participants),
            Op::FrameStoreAt(offset) => {
                let offset = self.slot_in_part(of(0), offset)?;
                return self.frame_store(offset, of(1)).map(|()| None);
            }
            Op::FrameLoadAt(offset) => {
                let offset = self.slot_in_part(of(0), offset)?;
                self.frame_load(offset, inst.result)?
            }
            Op::Poll(_) | Op::Call(..) => return Ok(None),
            Op::StoreRow(row) => return self.store_row(row, inst).map(|()| None),
            Op::StoreRowNonTemporal(offset) => {
                return self.store_row(Row::limited(offset), inst).map(|()| None);
            }
            Op::Scatter(offset) => return self.scatter(offset, inst).map(|()| None),
            Op::ScatterHalves(offset) => {
                return self.scatter_halves(offset, inst).map(|()| None);
            }
            Op::LoadRow(row) => self.load_row(row, inst)?,
            Op::Gather(offset) => self.gather(offset, inst)?,
            Op::Atomic(op, _, offset) => {
                let values = self.lanes(of(2))?;
                self.update(offset, inst, |lane, old| {
                    Some(arithmetic::atomic(op, old, values[lane]))
                })?
            }
            Op::CompareExchange(_, offset) => {
                let (expected, values) = (self.lanes(of(2))?, self.lanes(of(3))?);
                self.update(offset, inst, |lane, old| {
                    (old == expected[lane]).then_some(values[lane])
                })?
            }
            Op::Atomic64(op, _, offset) => {
                let update = |_, old, value| Some(arithmetic::atomic_wide(op, old, value));
                return self.update_wide(offset, inst, update).map(|()| None);
            }
            Op::CompareExchange64(_, offset) => {
                let expected = [self.lanes(of(5))?, self.lanes(of(6))?];
                let update = |lane, old, value| (old == joined(&expected, lane)).then_some(value);
                return self.update_wide(offset, inst, update).map(|()| None);
            }
            _ => self.lane_wise(inst)?,
        };
        Ok(Some(value))
    }

    /// Instructions that compute lanes and do not access memory.
    fn lane_wise(&self, inst: &Inst) -> Step {
        let of = |index: usize| self.lanes(inst.operands[index]);
        Ok(match inst.op {
            Op::Splat(bits) => self.each(|_| bits),
            Op::Pattern(pattern) => {
                let words = &self.function.patterns[pattern.0 as usize];
                self.each(|lane| words[lane])
            }
            Op::Broadcast => {
                let word = self.word(inst.operands[0])?;
                self.each(|_| word)
            }
            Op::Binary(op) => self.binary(op, of(0)?, of(1)?),
            Op::Unary(op) => {
                let a = of(0)?;
                self.each(|lane| arithmetic::lane_unary(op, a[lane]))
            }
            Op::ShlBy(by) => self.map(of(0)?, |word| word << by),
            Op::ShrBy(by) => self.map(of(0)?, |word| word >> by),
            Op::SarBy(by) => self.map(of(0)?, |word| (word as i32 >> by) as u32),
            Op::RotateBy(by) => self.map(of(0)?, |word| word.rotate_left(u32::from(by))),
            Op::Fma => {
                let (a, b, c) = (of(0)?, of(1)?, of(2)?);
                self.each(|lane| arithmetic::fma(a[lane], b[lane], c[lane]))
            }
            Op::Ternary(table) => {
                let (a, b, c) = (of(0)?, of(1)?, of(2)?);
                self.each(|lane| arithmetic::ternary(table, a[lane], b[lane], c[lane]))
            }
            Op::F64(op, half) => {
                let operands = inst
                    .operands
                    .iter()
                    .map(|operand| self.lanes(*operand))
                    .collect::<Step<Vec<_>>>()?;
                self.each(|lane| {
                    let words: Vec<u32> = operands.iter().map(|operand| operand[lane]).collect();
                    let numbers: Vec<u64> = words.chunks(2).map(whole).collect();
                    let bits = arithmetic::double(op, &numbers);
                    match half {
                        F64Half::Low => bits as u32,
                        F64Half::High => (bits >> 32) as u32,
                    }
                })
            }
            Op::F64ToF32 => {
                let (low, high) = (of(0)?, of(1)?);
                self.each(|lane| arithmetic::double_to_float(whole(&[low[lane], high[lane]])))
            }
            Op::Select => self.select(self.mask(inst.operands[0])?, of(1)?, of(2)?),
            Op::Masked(op) => {
                let new = self.binary(op, of(1)?, of(2)?);
                self.select(self.mask(inst.operands[3])?, words(new), of(0)?)
            }
            Op::MaskedFma => {
                let (a, b, c) = (of(1)?, of(2)?, of(3)?);
                let new = self.each(|lane| arithmetic::fma(a[lane], b[lane], c[lane]));
                self.select(self.mask(inst.operands[4])?, words(new), of(0)?)
            }
            Op::Permute => {
                let (values, from) = (of(0)?, of(1)?);
                self.each(|lane| values[(from[lane] % self.function.lanes) as usize])
            }
            _ => return Err(InstructionError::Unknown),
        })
    }

    fn each(&self, lane: impl Fn(usize) -> u32) -> RuntimeValue {
        let count = self.function.lanes as usize;
        RuntimeValue::Lanes(std::array::from_fn(|index| {
            if index < count { lane(index) } else { 0 }
        }))
    }

    fn map(&self, words: Words, lane: impl Fn(u32) -> u32) -> RuntimeValue {
        self.each(|index| lane(words[index]))
    }

    fn binary(&self, op: LaneBinary, a: Words, b: Words) -> RuntimeValue {
        self.each(|lane| arithmetic::lane_binary(op, a[lane], b[lane]))
    }

    fn select(&self, mask: u32, a: Words, b: Words) -> RuntimeValue {
        self.each(|lane| {
            if mask >> lane & 1 == 1 {
                a[lane]
            } else {
                b[lane]
            }
        })
    }

    fn compare(&self, op: LaneCompare, a: Value, b: Value, mask: u32) -> Step {
        let (a, b) = (self.lanes(a)?, self.lanes(b)?);
        let bits = (0..self.function.lanes as usize).fold(0, |bits, lane| {
            bits | u32::from(arithmetic::lane_compare(op, a[lane], b[lane])) << lane
        });
        Ok(RuntimeValue::Mask(bits & mask))
    }

    fn field(&self, field: ContextField) -> u32 {
        match field {
            ContextField::WorkgroupId(axis) => self.run.workgroup_id[usize::from(axis)],
            ContextField::WorkgroupCount(axis) => self.run.workgroup_count[usize::from(axis)],
            ContextField::Subgroup => self.subgroup.number,
        }
    }
}

/// Memory accesses.
impl Activation<'_> {
    fn load(&self, pointer: Value, offset: i32) -> Step<u32> {
        let pointer = self.pointer(pointer)?.advanced(i64::from(offset));
        self.memory.load(&self.subgroup.frame, pointer)
    }

    /// The lanes of a row that take part, and the word that each of them accesses. `others` is the number of operands
    /// before the limit and the mask.
    fn row(&self, row: Row, inst: &Inst, others: usize) -> Step<Vec<(usize, Pointer)>> {
        let mut rest = inst.operands[others..].iter();
        let limit = if row.is_limited {
            rest.next().map(|&value| self.word(value)).transpose()?
        } else {
            None
        };
        if limit.is_some_and(|limit| limit > 1 << 31) {
            return Err(InstructionError::Limit);
        }
        let mask = rest.next().map(|&value| self.mask(value)).transpose()?;
        let (pointer, index) = (
            self.pointer(inst.operands[0])?,
            self.word(inst.operands[1])?,
        );
        let pointer = pointer.advanced(i64::from(row.offset));
        let lanes = 0..self.function.lanes as usize;
        let places = lanes.map(|lane| (lane, index.wrapping_add(lane as u32)));
        Ok(places
            .filter(|(lane, _)| mask.is_none_or(|mask| mask >> lane & 1 == 1))
            .filter(|(_, index)| limit.is_none_or(|limit| *index < limit))
            .map(|(lane, index)| (lane, pointer.advanced(i64::from(index))))
            .collect())
    }

    /// The lanes of the mask, which is the last operand, and the word that each of them accesses.
    fn scattered_words(&self, offset: i32, inst: &Inst) -> Step<Vec<(usize, Pointer)>> {
        let (pointer, indices) = (
            self.pointer(inst.operands[0])?,
            self.lanes(inst.operands[1])?,
        );
        let mask = self.mask(inst.operands[inst.operands.len() - 1])?;
        let lanes = 0..self.function.lanes as usize;
        lanes
            .filter(|lane| mask >> lane & 1 == 1)
            .map(|lane| match indices[lane] {
                index @ 0x8000_0000.. => Err(InstructionError::Index(index)),
                index => Ok((lane, pointer.advanced(i64::from(index) + i64::from(offset)))),
            })
            .collect()
    }

    fn load_row(&self, row: Row, inst: &Inst) -> Step {
        self.load_places(self.row(row, inst, 2)?)
    }

    fn gather(&self, offset: i32, inst: &Inst) -> Step {
        self.load_places(self.scattered_words(offset, inst)?)
    }

    fn load_places(&self, places: Vec<(usize, Pointer)>) -> Step {
        let mut words = [0; 16];
        for (lane, place) in places {
            words[lane] = self.memory.load(&self.subgroup.frame, place)?;
        }
        Ok(RuntimeValue::Lanes(words))
    }

    fn store_row(&mut self, row: Row, inst: &Inst) -> Step<()> {
        let places = self.row(row, inst, 3)?;
        self.store_places(places, inst.operands[2])
    }

    fn scatter(&mut self, offset: i32, inst: &Inst) -> Step<()> {
        let places = self.scattered_words(offset, inst)?;
        self.store_places(places, inst.operands[2])
    }

    fn scatter_halves(&mut self, offset: i32, inst: &Inst) -> Step<()> {
        let pointer = self.pointer(inst.operands[0])?;
        let (indices, values) = (self.lanes(inst.operands[1])?, self.lanes(inst.operands[2])?);
        for (lane, _) in self.scattered_words(offset, inst)? {
            let half = i64::from(indices[lane]) + i64::from(offset);
            let place = pointer.advanced(half.div_euclid(2));
            let word = self.memory.word_mut(&mut self.subgroup.frame, place)?;
            let shift = 16 * half.rem_euclid(2);
            *word = *word & !(0xffff << shift) | (values[lane] & 0xffff) << shift;
        }
        Ok(())
    }

    fn store_places(&mut self, places: Vec<(usize, Pointer)>, values: Value) -> Step<()> {
        let values = self.lanes(values)?;
        for (lane, place) in places {
            let word = self.memory.word_mut(&mut self.subgroup.frame, place)?;
            *word = values[lane];
        }
        Ok(())
    }

    /// Updates words, lane by lane; returns the old values.
    fn update(
        &mut self,
        offset: i32,
        inst: &Inst,
        update: impl Fn(usize, u32) -> Option<u32>,
    ) -> Step {
        let mut words = [0; 16];
        for (lane, place) in self.scattered_words(offset, inst)? {
            let word = self.memory.word_mut(&mut self.subgroup.frame, place)?;
            words[lane] = *word;
            *word = update(lane, *word).unwrap_or(*word);
        }
        Ok(RuntimeValue::Lanes(words))
    }

    /// Updates 64-bit numbers, lane by lane; stores the old values to two rows.
    fn update_wide(
        &mut self,
        offset: i32,
        inst: &Inst,
        update: impl Fn(usize, u64, u64) -> Option<u64>,
    ) -> Step<()> {
        let (pointer, rows) = (
            self.pointer(inst.operands[0])?,
            self.pointer(inst.operands[1])?,
        );
        let indices = self.lanes(inst.operands[2])?;
        let values = [self.lanes(inst.operands[3])?, self.lanes(inst.operands[4])?];
        let mask = self.mask(inst.operands[inst.operands.len() - 1])?;
        let lanes = self.function.lanes as usize;
        for (lane, index) in indices.iter().enumerate().take(lanes) {
            let mut found = [0; 2];
            if mask >> lane & 1 == 1 {
                let low = pointer.advanced(i64::from(*index) + i64::from(offset));
                let places = [low, low.advanced(1)];
                for (word, place) in found.iter_mut().zip(places) {
                    *word = self.memory.load(&self.subgroup.frame, place)?;
                }
                let old = u64::from(found[1]) << 32 | u64::from(found[0]);
                let new = update(lane, old, joined(&values, lane)).unwrap_or(old);
                for (place, word) in places.into_iter().zip([new as u32, (new >> 32) as u32]) {
                    *self.memory.word_mut(&mut self.subgroup.frame, place)? = word;
                }
            }
            for (row, word) in found.into_iter().enumerate() {
                let place = rows.advanced((row * lanes + lane) as i64);
                *self.memory.word_mut(&mut self.subgroup.frame, place)? = word;
            }
        }
        Ok(())
    }

    /// The byte offset of a slot in a part of the frame: the offset of the part plus the offset in the part.
    fn slot_in_part(&self, bytes: Value, offset: u32) -> Step<u32> {
        let bytes = self.word(bytes)?;
        let offset = bytes.checked_add(offset);
        let end = offset.and_then(|offset| offset.checked_add(4));
        match offset.filter(|_| bytes.is_multiple_of(64)) {
            Some(offset) if end.is_some_and(|end| end <= self.function.frame_bytes) => Ok(offset),
            _ => Err(InstructionError::NoFramePart(bytes)),
        }
    }

    fn frame_store(&mut self, offset: u32, value: Value) -> Step<()> {
        let value = self.value_of(value)?;
        self.subgroup.slots.insert(offset, value);
        Ok(())
    }

    fn frame_load(&self, offset: u32, result: Option<Value>) -> Step {
        let stored = self
            .subgroup
            .slots
            .get(&offset)
            .copied()
            .ok_or(InstructionError::EmptySlot(offset))?;
        if result.is_none_or(|value| self.function.type_of(value) == type_of(stored)) {
            Ok(stored)
        } else {
            Err(InstructionError::SlotType(offset))
        }
    }
}

/// Reads operands.
impl Activation<'_> {
    fn value_of(&self, value: Value) -> Step {
        self.subgroup.values[value.index()].ok_or(InstructionError::NoValue(value))
    }

    fn word(&self, value: Value) -> Step<u32> {
        match self.value_of(value)? {
            RuntimeValue::Word(bits) => Ok(bits),
            _ => Err(wrong_type(value, "a word")),
        }
    }

    fn pointer(&self, value: Value) -> Step<Pointer> {
        match self.value_of(value)? {
            RuntimeValue::Pointer(pointer) => Ok(pointer),
            _ => Err(wrong_type(value, "a pointer")),
        }
    }

    fn lanes(&self, value: Value) -> Step<Words> {
        match self.value_of(value)? {
            RuntimeValue::Lanes(words) => Ok(words),
            _ => Err(wrong_type(value, "lanes")),
        }
    }

    fn mask(&self, value: Value) -> Step<u32> {
        match self.value_of(value)? {
            RuntimeValue::Mask(bits) => Ok(bits),
            _ => Err(wrong_type(value, "a mask")),
        }
    }
}

fn wrong_type(value: Value, expected: &'static str) -> InstructionError {
    InstructionError::ValueType { value, expected }
}

/// The 64-bit number of a lane, from its low and its high words.
fn joined([low, high]: &[Words; 2], lane: usize) -> u64 {
    u64::from(high[lane]) << 32 | u64::from(low[lane])
}

/// The 64-bit number with these words, the low one first.
fn whole(words: &[u32]) -> u64 {
    words
        .iter()
        .rev()
        .fold(0, |number, word| number << 32 | u64::from(*word))
}

fn words(value: RuntimeValue) -> Words {
    match value {
        RuntimeValue::Lanes(words) => words,
        _ => [0; 16],
    }
}

fn type_of(value: RuntimeValue) -> Type {
    match value {
        RuntimeValue::Word(_) => Type::Word,
        RuntimeValue::Pointer(_) => Type::Pointer,
        RuntimeValue::Lanes(_) => Type::Lanes,
        RuntimeValue::Mask(_) => Type::Mask,
    }
}

fn spend(budget: &mut u64, block: BlockId) -> Result<(), EvaluateError> {
    *budget = budget.checked_sub(1).ok_or(EvaluateError::Budget(block))?;
    Ok(())
}
