//! Provenance: to which memory each address belongs.
//!
//! In: a function before `memory`, and the address range of static variables. Out: for each value
//! a [`Provenance`], and for each access a [`Region`]. An optimistic data-flow analysis (a meet
//! over block parameters and selects, as in sparse conditional constant propagation) that also
//! follows pointers through memory ([`Contents`]).
//!
//! What always holds: a value that may be an address in a slice has the slice in its provenance or
//! is [`Provenance::Unknown`]. For the frame and the statics this is so under the assumption of
//! [`MemoryModel::Auto`](super::super::MemoryModel): a sum of a pointer and numbers
//! stays in the object of the pointer.

mod contents;
mod lattice;
mod transfer;

pub(crate) use lattice::{Base, Provenance};

use super::super::ir::{Access, Block, Cfg, Function, Op, Type, Value};
use super::linear::LinearForms;
use contents::Contents;

/// Rounds after which values only go down in the lattice.
const FREE_ROUNDS: usize = 16;

/// Rounds after which nothing is known.
const MAX_ROUNDS: usize = 64;

/// The static variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct StaticRange {
    /// The first address.
    pub first: u32,
    /// One past the last address; not above `first` if statics are not known.
    pub end: u32,
    /// The initial words from `first` on, which is a multiple of 4.
    pub words: Vec<u32>,
}

impl StaticRange {
    /// What a constant word is.
    fn classify(&self, word: u32) -> Provenance {
        if (self.first..self.end).contains(&word) {
            Provenance::base(Base::Static)
        } else {
            Provenance::Constant
        }
    }
}

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    /// A slice parameter.
    Slice(u32),
    /// The stack frame.
    Frame,
    /// The static variables.
    Static,
    /// Linear memory, but no slice.
    Number,
    /// Anything.
    Unknown,
}

/// The provenance of all values.
#[derive(Debug)]
pub(crate) struct Provenances<'a> {
    function: &'a Function,
    forms: &'a LinearForms,
    statics: &'a StaticRange,
    /// Of 32-bit values, and of the low words of 64-bit values.
    low: Vec<Provenance>,
    /// Of the high words.
    high: Vec<Provenance>,
    /// What the memories hold, by the stores of the last round.
    contents: Contents,
}

/// For each block the arguments of the edges to it.
fn incoming<'a>(function: &'a Function, cfg: &Cfg) -> Vec<Vec<&'a [Value]>> {
    let mut incoming = vec![Vec::new(); function.blocks.len()];
    for &block in &cfg.order {
        for edge in function.block(block).terminator.edges() {
            incoming[edge.block.0 as usize].push(edge.args.as_slice());
        }
    }
    incoming
}

impl<'a> Provenances<'a> {
    /// Analyses a function.
    pub(crate) fn new(
        function: &'a Function,
        cfg: &Cfg,
        forms: &'a LinearForms,
        statics: &'a StaticRange,
    ) -> Self {
        let count = function.value_count();
        let mut provenances = Self {
            function,
            forms,
            statics,
            low: vec![Provenance::Bottom; count],
            high: vec![Provenance::Bottom; count],
            contents: Contents::new(statics),
        };
        provenances.set_floating();
        let incoming = incoming(function, cfg);
        for round in 0..MAX_ROUNDS {
            if !provenances.round(cfg, &incoming, round) {
                return provenances;
            }
        }
        provenances.low.fill(Provenance::Unknown);
        provenances
    }

    /// The provenance of a 32-bit value.
    pub(crate) fn of(&self, value: Value) -> &Provenance {
        &self.low[value.0 as usize]
    }

    /// Where an access at an address plus an offset goes.
    pub(crate) fn region(&self, address: Value, offset: u32) -> Region {
        let whole = match offset {
            0 => self.of(address).clone(),
            _ => self.of(address).plus(&self.statics.classify(offset), 1),
        };
        whole.region()
    }

    /// The address of an access in its region, if it is constant: relative to the initial stack
    /// pointer, or absolute.
    pub(crate) fn fixed_address(&self, address: Value, offset: u32) -> Option<u32> {
        let form = self.forms.get(self.function, address);
        let is_fixed = match self.region(address, offset) {
            Region::Frame => form
                .terms
                .iter()
                .all(|&(term, factor)| factor == 1 && *self.function.op(term) == Op::StackPointer),
            _ => form.terms.is_empty(),
        };
        is_fixed.then(|| form.constant.wrapping_add(offset))
    }

    fn set_floating(&mut self) {
        for number in 0..self.low.len() {
            let value = Value(number as u32);
            let op = self.function.op(value);
            if op.is_floating() {
                let (low, high) = self.floating(op, self.function.ty(value));
                self.low[number] = low;
                self.high[number] = high;
            }
        }
    }

    /// Computes all values once; whether something has changed.
    fn round(&mut self, cfg: &Cfg, incoming: &[Vec<&[Value]>], round: usize) -> bool {
        let function = self.function;
        let mut stores = Contents::new(self.statics);
        let mut has_changed = false;
        for &block in &cfg.order {
            let incoming = &incoming[block.0 as usize];
            has_changed |= self.parameters(block, incoming, round);
            for &inst in &function.block(block).insts {
                let op = function.op(inst);
                self.store(op, &mut stores);
                if function.ty(inst) != Type::Unit {
                    let new = self.transfer(op, function.ty(inst));
                    has_changed |= self.set(inst, new, round);
                }
            }
        }
        if round >= FREE_ROUNDS {
            stores.meet(&self.contents);
        }
        has_changed |= stores != self.contents;
        self.contents = stores;
        has_changed
    }

    /// Computes the parameters of a block, as the meet of their arguments on all edges.
    fn parameters(&mut self, block: Block, incoming: &[&[Value]], round: usize) -> bool {
        let function = self.function;
        let mut has_changed = false;
        for (at, &param) in function.block(block).params.iter().enumerate() {
            let [low, high] = [&self.low, &self.high].map(|half| {
                let args = incoming.iter().filter_map(|args| args.get(at));
                args.fold(Provenance::Bottom, |meet, arg| {
                    meet.meet(&half[arg.0 as usize])
                })
            });
            has_changed |= self.set(param, (low, high), round);
        }
        has_changed
    }

    fn set(&mut self, value: Value, new: (Provenance, Provenance), round: usize) -> bool {
        let mut has_changed = false;
        for (half, mut new) in [(&mut self.low, new.0), (&mut self.high, new.1)] {
            let old = &mut half[value.0 as usize];
            if round >= FREE_ROUNDS {
                new = new.meet(old);
            }
            if *old != new {
                *old = new;
                has_changed = true;
            }
        }
        has_changed
    }

    /// The effect of an operation on the memories.
    fn store(&self, op: &Op, stores: &mut Contents) {
        match *op {
            Op::Store {
                access,
                address,
                value,
            } => {
                let words = self.stored_words(access, value);
                let fixed = self.fixed_address(address, access.offset);
                stores.store(self.region(address, access.offset), fixed, &words);
            }
            Op::MemoryCopy {
                to, from, bytes, ..
            } => {
                let (into, source) = (self.region(to, 0), self.region(from, 0));
                let places = (self.fixed_address(to, 0), self.fixed_address(from, 0));
                match (places, self.function.as_word(bytes)) {
                    ((Some(to), Some(from)), Some(bytes))
                        if (to | from | bytes) % 4 == 0 && bytes <= 1 << 12 =>
                    {
                        for at in (0..bytes).step_by(4) {
                            let from = Some(from.wrapping_add(at));
                            let word = self.contents.load(self.statics, source, from);
                            stores.store(into, Some(to.wrapping_add(at)), &[word]);
                        }
                    }
                    _ => {
                        let word = self.contents.load(self.statics, source, None);
                        stores.store(into, None, &[word]);
                    }
                }
            }
            Op::MemoryFill { to, value, .. } => {
                let is_constant = self.function.as_word(value).is_some();
                let word = if is_constant {
                    Provenance::Constant
                } else {
                    Provenance::NUMBER
                };
                stores.store(self.region(to, 0), None, &[word]);
            }
            Op::MemoryInit { to, .. } => {
                stores.store(self.region(to, 0), None, &[Provenance::Unclear]);
            }
            _ => {}
        }
    }

    fn stored_words(&self, access: Access, value: Value) -> Vec<Provenance> {
        let [low, high] = [&self.low, &self.high].map(|half| half[value.0 as usize].clone());
        match access.bytes() {
            8 => vec![low, high],
            4 => vec![low],
            _ => vec![low.opaque(&Provenance::Constant)],
        }
    }
}

#[cfg(test)]
mod tests;
