//! Lists the addresses that a function uses: where each points, and which bytes it can reach.

use super::super::analysis::linear::{Linear, LinearForms};
use super::super::analysis::provenance::{Provenances, Region, StaticRange};
use super::super::analysis::ranges::Ranges;
use super::super::ir::{Cfg, Function, Op, Trap, Value};
use super::layout::{MemoryLayout, MemoryModel};
use super::plan::slice_base;
use crate::module::{Host, HostFunction};

/// Bytes of statics that are an object of their own, at most.
const MAX_STATICS: u32 = 1 << 24;

/// What is known of a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Analyses<'a> {
    pub(super) forms: &'a LinearForms,
    pub(super) ranges: &'a Ranges,
    pub(super) layout: &'a MemoryLayout,
}

/// An operand that is an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operand {
    /// The address of a load or a store, or where a copy goes.
    To,
    /// Where a copy comes from.
    From,
}

/// An address that an instruction uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) inst: Value,
    pub(super) operand: Operand,
    pub(super) region: Region,
    /// Its address, if constant: relative to the stack pointer or absolute.
    pub(super) fixed: Option<u32>,
    /// Bytes of the access; of a copy, if constant.
    pub(super) bytes: Option<u32>,
    /// The first address and the one past the last, if they are bounded.
    pub(super) span: Option<[u32; 2]>,
    pub(super) is_store: bool,
    pub(super) trap: Trap,
}

/// The static variables, if they can be objects of their own.
pub(super) fn static_range(layout: &MemoryLayout) -> StaticRange {
    let [first, end] = layout.statics;
    let is_used = layout.is_linked
        && layout.model == MemoryModel::Auto
        && first < end
        && end - first <= MAX_STATICS;
    // Addresses near 0 are too likely numbers.
    let first = first & !3;
    if !is_used || first == 0 {
        return StaticRange::default();
    }
    StaticRange {
        first,
        end,
        words: layout.initial_words([first, end]),
    }
}

/// Lists the addresses that a function uses.
pub(super) struct Survey<'a> {
    pub(super) function: &'a Function,
    pub(super) analyses: Analyses<'a>,
    pub(super) provenances: &'a Provenances<'a>,
}

impl Survey<'_> {
    /// The addresses of all instructions that can run.
    pub(super) fn uses(&self, cfg: &Cfg) -> Vec<Use> {
        let blocks = cfg.order.iter();
        let insts = blocks.flat_map(|&block| &self.function.block(block).insts);
        insts.flat_map(|&inst| self.of(inst)).collect()
    }

    fn of(&self, inst: Value) -> Vec<Use> {
        let one = |operand, address, offset, bytes, is_store, trap| Use {
            inst,
            operand,
            region: self.provenances.region(address, offset),
            fixed: self.provenances.fixed_address(address, offset),
            bytes,
            span: bytes.and_then(|bytes| self.span(inst, address, offset, bytes)),
            is_store,
            trap,
        };
        let constant = |value| self.function.as_word(value);
        match *self.function.op(inst) {
            Op::Load { access, address } => {
                let bytes = Some(access.bytes());
                vec![one(
                    Operand::To,
                    address,
                    access.offset,
                    bytes,
                    false,
                    access.trap,
                )]
            }
            Op::Store {
                access, address, ..
            } => {
                let bytes = Some(access.bytes());
                vec![one(
                    Operand::To,
                    address,
                    access.offset,
                    bytes,
                    true,
                    access.trap,
                )]
            }
            Op::MemoryCopy {
                to,
                from,
                bytes,
                trap,
            } => vec![
                one(Operand::To, to, 0, constant(bytes), true, trap),
                one(Operand::From, from, 0, constant(bytes), false, trap),
            ],
            Op::MemoryFill {
                to, bytes, trap, ..
            }
            | Op::MemoryInit {
                to, bytes, trap, ..
            } => vec![one(Operand::To, to, 0, constant(bytes), true, trap)],
            Op::Host {
                function: HostFunction::Numbered(host),
                ref args,
                trap,
            } => {
                let address = match (host, args.as_slice()) {
                    (Host::MemoryAtomic, [_, address, _]) => *address,
                    (Host::MemoryCompareExchange, [address, ..]) => *address,
                    _ => return Vec::new(),
                };
                vec![one(Operand::To, address, 0, Some(4), true, trap)]
            }
            _ => Vec::new(),
        }
    }

    /// The bytes that an access can reach.
    fn span(&self, inst: Value, address: Value, offset: u32, bytes: u32) -> Option<[u32; 2]> {
        let Analyses {
            forms,
            ranges,
            layout,
        } = self.analyses;
        let mut form = numeric(self.function, forms, layout, address);
        form.constant = form.constant.wrapping_add(offset);
        let [first, last] = ranges.range(&form, inst)?;
        Some([first, last.checked_add(bytes)?])
    }
}

/// The linear form of an address, with numbers for the stack pointer and the slices.
pub(super) fn numeric(
    function: &Function,
    forms: &LinearForms,
    layout: &MemoryLayout,
    address: Value,
) -> Linear {
    let form = forms.get(function, address);
    let mut numeric = Linear::constant(form.constant);
    for &(term, factor) in &form.terms {
        let number = match *function.op(term) {
            Op::StackPointer => layout.stack_pointer,
            Op::SliceAddress(slice) => slice_base(slice),
            _ => {
                numeric.terms.push((term, factor));
                continue;
            }
        };
        let product = number.wrapping_mul(factor);
        numeric.constant = numeric.constant.wrapping_add(product);
    }
    numeric
}
