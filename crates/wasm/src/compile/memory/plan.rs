//! Chooses the memory model and the object of every access.
//!
//! In: a function, its analyses and the layout. Out: a [`Plan`]; the function has the new objects,
//! but its instructions are unchanged.
//!
//! Under [`MemoryModel::Auto`] the frame and the statics become objects of their own if every
//! access has a known region, nothing grows the memory, and they are small enough. Otherwise all
//! that is not a slice is one [`ObjectKind::Linear`]; [`Plan::reason`] says why.

use std::collections::HashMap;

use super::super::CompileError;
use super::super::analysis::alignment::{Alignment, SLICE_ALIGNMENT};
use super::super::analysis::linear::LinearForms;
use super::super::analysis::provenance::{Provenances, Region, StaticRange};
use super::super::ir::{
    Cfg, Element, Function, Object, ObjectData, ObjectKind, Op, Trap, Type, Value,
};
use super::layout::{MemoryLayout, MemoryModel, PAGE};
use super::objects::Objects;
use crate::module::{Host, HostFunction, to_u32};

/// Bytes of a frame that is an object of its own, at most.
const MAX_FRAME: u32 = 1 << 16;

/// Bytes of statics that are an object of their own, at most.
const MAX_STATICS: u32 = 1 << 24;

/// Words of written statics that are private to each invocation, at most.
const MAX_WRITTEN_STATICS: u32 = 1 << 10;

/// Where an operand of an access points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// An object whose first word has this address.
    Object { object: Object, base: u32 },
    /// The linear memory.
    Linear,
}

/// The size of the linear memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// So many pages.
    Fixed(u32),
    /// A private object of one word has the number of pages.
    Counter(Object),
}

/// The choices for a function.
#[derive(Debug)]
pub(super) struct Plan {
    /// The targets of each access, by instruction: what is written or read, and the source of a
    /// copy.
    targets: HashMap<(Value, Operand), Target>,
    /// The linear memory, if there is one.
    pub(super) linear: Option<Object>,
    /// Its size.
    pub(super) size: Size,
    /// Why there is a linear memory.
    pub(super) reason: Option<String>,
    /// The frame and the statics, with the address of their first word.
    frame: Option<(Object, u32)>,
    statics: Option<(Object, u32)>,
    uses: Vec<Use>,
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
struct Use {
    inst: Value,
    operand: Operand,
    region: Region,
    /// Its address, if constant: relative to the stack pointer or absolute.
    fixed: Option<u32>,
    /// Bytes of the access; of a copy, if constant.
    bytes: Option<u32>,
    is_store: bool,
    trap: Trap,
}

impl Plan {
    /// Chooses for a function.
    pub(super) fn new(
        function: &mut Function,
        cfg: &Cfg,
        forms: &LinearForms,
        layout: &MemoryLayout,
    ) -> Result<Self, CompileError> {
        let range = static_range(layout);
        let provenances = Provenances::new(function, cfg, forms, &range);
        let uses = Survey::new(function, &provenances).uses(cfg);
        let frame = Frame::new(function, cfg, forms, layout);
        let mut choice = Choice {
            function,
            layout,
            frame,
        };
        let reason = choice.reason(cfg, &uses);
        choice.check_slices(&uses)?;
        let mut plan = Self {
            targets: HashMap::new(),
            linear: None,
            size: Size::Fixed(layout.pages),
            reason,
            frame: None,
            statics: None,
            uses: Vec::new(),
        };
        match plan.reason {
            None => choice.objects(&mut plan, &uses),
            Some(_) => choice.linear(&mut plan, cfg),
        }
        plan.set_targets(function, &uses);
        plan.uses = uses;
        Ok(plan)
    }

    /// Where an operand points.
    pub(super) fn target(&self, inst: Value, operand: Operand) -> Target {
        let target = self.targets.get(&(inst, operand)).copied();
        target.unwrap_or(Target::Linear)
    }

    fn set_targets(&mut self, function: &Function, uses: &[Use]) {
        let object = |(object, base)| Target::Object { object, base };
        for one in uses {
            let target = match one.region {
                Region::Slice(slice) => {
                    let object = function.slices.get(slice as usize).copied();
                    object.map(|object| Target::Object {
                        object,
                        base: slice_base(slice),
                    })
                }
                Region::Frame => self.frame.map(object),
                Region::Static => self.statics.map(object),
                Region::Number | Region::Unknown => None,
            };
            self.targets
                .insert((one.inst, one.operand), target.unwrap_or(Target::Linear));
        }
    }

    /// Counts the accesses of each object.
    pub(super) fn vote(&self, objects: &mut Objects<'_>, alignment: &Alignment) {
        for one in &self.uses {
            let object = match self.target(one.inst, one.operand) {
                Target::Object { object, .. } => object,
                Target::Linear => continue,
            };
            match *objects.function.op(one.inst) {
                Op::Load { .. } => objects.vote_load(object, one.inst),
                Op::Store { access, value, .. } => {
                    if access.bytes() < 4 && is_shared(objects.function, object) {
                        objects.vote_atomic(object);
                    }
                    objects.vote_store(object, value);
                }
                Op::Host { .. } if is_shared(objects.function, object) => {
                    objects.vote_atomic(object);
                }
                ref
                op @ (Op::MemoryCopy { .. } | Op::MemoryFill { .. } | Op::MemoryInit { .. })
                    if one.is_store
                        && is_shared(objects.function, object)
                        && !moves_words(op, alignment) =>
                {
                    objects.vote_atomic(object);
                }
                _ => {}
            }
        }
    }
}

/// Whether an operation on many bytes moves whole words.
pub(super) fn moves_words(op: &Op, alignment: &Alignment) -> bool {
    let is_aligned = |value: Value| alignment.of(value) >= 2;
    match *op {
        Op::MemoryCopy {
            to, from, bytes, ..
        }
        | Op::MemoryInit {
            to, from, bytes, ..
        } => [to, from, bytes].into_iter().all(is_aligned),
        Op::MemoryFill { to, bytes, .. } => [to, bytes].into_iter().all(is_aligned),
        _ => false,
    }
}

/// Whether other invocations access an object: then bytes of words are replaced atomically.
pub(super) fn is_shared(function: &Function, object: Object) -> bool {
    matches!(
        function.object(object).kind,
        ObjectKind::Binding { .. } | ObjectKind::Workgroup
    )
}

/// The number that stands for the address of a slice. It is in no object; only differences of
/// addresses in one slice and comparisons with null matter.
pub(super) const fn slice_base(slice: u32) -> u32 {
    (slice % 31 + 1) << SLICE_ALIGNMENT
}

fn static_range(layout: &MemoryLayout) -> StaticRange {
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
struct Survey<'a> {
    function: &'a Function,
    provenances: &'a Provenances<'a>,
}

impl<'a> Survey<'a> {
    fn new(function: &'a Function, provenances: &'a Provenances<'a>) -> Self {
        Self {
            function,
            provenances,
        }
    }

    fn uses(&self, cfg: &Cfg) -> Vec<Use> {
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
}

/// The extent of the stack frame.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The address of its first word; `None` if the stack pointer moves strangely.
    first: Option<u32>,
}

impl Frame {
    /// The lowest constant offset from the stack pointer of all values decides.
    fn new(function: &Function, cfg: &Cfg, forms: &LinearForms, layout: &MemoryLayout) -> Self {
        let mut lowest = 0_i32;
        for &block in &cfg.order {
            for &inst in &function.block(block).insts {
                if function.ty(inst) != Type::I32 {
                    continue;
                }
                let form = forms.get(function, inst);
                if let [(term, 1)] = form.terms[..]
                    && *function.op(term) == Op::StackPointer
                {
                    lowest = lowest.min(form.constant.cast_signed());
                }
            }
        }
        let bytes = lowest.unsigned_abs();
        let first = layout.stack_pointer.checked_sub(bytes);
        Self {
            first: first
                .filter(|_| (1..=MAX_FRAME).contains(&bytes))
                .map(|first| first & !15),
        }
    }

    fn holds(self, one: &Use, layout: &MemoryLayout) -> bool {
        let Some(first) = self.first else {
            return false;
        };
        let Some(fixed) = one.fixed else {
            return true;
        };
        let end =
            u64::from(layout.stack_pointer.wrapping_add(fixed)) + u64::from(one.bytes.unwrap_or(0));
        layout.stack_pointer.wrapping_add(fixed) >= first && end <= u64::from(layout.stack_pointer)
    }
}

/// Chooses the model, and makes its objects.
struct Choice<'a> {
    function: &'a mut Function,
    layout: &'a MemoryLayout,
    frame: Frame,
}

impl Choice<'_> {
    /// Why the kernel needs a linear memory, if it does.
    fn reason(&self, cfg: &Cfg, uses: &[Use]) -> Option<String> {
        let is_outside_of_slices = |one: &&Use| !matches!(one.region, Region::Slice(_));
        if self.grows(cfg) {
            return Some("it grows its memory".to_owned());
        }
        let first = uses.iter().find(is_outside_of_slices)?;
        let place = |one: &Use| {
            let site = &self.function.traps[one.trap.0 as usize];
            format!("at {:#x} in `{}`", site.offset, site.function)
        };
        if self.layout.model == MemoryModel::Linear {
            return Some("of the option".to_owned());
        }
        if !self.layout.is_linked {
            return Some(format!(
                "no linker made the module, access {}",
                place(first)
            ));
        }
        for one in uses.iter().filter(is_outside_of_slices) {
            match one.region {
                Region::Number | Region::Unknown => {
                    return Some(format!("the address {} is not known", place(one)));
                }
                Region::Frame if !self.frame.holds(one, self.layout) => {
                    return Some(format!("the access {} is not in its frame", place(one)));
                }
                _ => {}
            }
        }
        let writes_statics = uses
            .iter()
            .find(|one| one.region == Region::Static && one.is_store);
        let [first, end] = self.statics(uses);
        writes_statics
            .filter(|_| end - first > 4 * MAX_WRITTEN_STATICS)
            .map(|one| format!("large statics are written {}", place(one)))
    }

    fn grows(&self, cfg: &Cfg) -> bool {
        let mut insts = cfg
            .order
            .iter()
            .flat_map(|&block| &self.function.block(block).insts);
        insts.any(|&inst| matches!(self.function.op(inst), Op::MemoryGrow(_)))
    }

    /// Linear memory holds no slices: an access that may go to one must be known to.
    fn check_slices(&self, uses: &[Use]) -> Result<(), CompileError> {
        let unknown = uses.iter().find(|one| one.region == Region::Unknown);
        match unknown.filter(|_| !self.function.slices.is_empty()) {
            None => Ok(()),
            Some(one) => {
                let site = &self.function.traps[one.trap.0 as usize];
                Err(CompileError::Unsupported {
                    feature: "an address that may point into different slices".to_owned(),
                    function: site.function.clone(),
                    offset: site.offset,
                })
            }
        }
    }

    /// The address range of the statics that are accessed, in whole words.
    fn statics(&self, uses: &[Use]) -> [u32; 2] {
        let [mut first, mut end] = [u32::MAX, 0];
        for one in uses.iter().filter(|one| one.region == Region::Static) {
            match (one.fixed, one.bytes) {
                (Some(at), Some(bytes)) => {
                    first = first.min(at);
                    end = end.max(at.saturating_add(bytes));
                }
                _ => {
                    first = first.min(self.layout.statics[0]);
                    end = end.max(self.layout.statics[1]);
                }
            }
        }
        let first = first.min(end) & !3;
        [first, end.max(first).div_ceil(4).saturating_mul(4)]
    }

    fn objects(&mut self, plan: &mut Plan, uses: &[Use]) {
        let has = |region| uses.iter().any(|one| one.region == region);
        if let Some(first) = self.frame.first.filter(|_| has(Region::Frame)) {
            let bytes = self.layout.stack_pointer - first;
            let object = self.function.add_object(ObjectData {
                name: "frame".to_owned(),
                kind: ObjectKind::Private(Vec::new()),
                element: Element::U32,
                words: Some(bytes.div_ceil(4)),
                written: true,
            });
            plan.frame = Some((object, first));
        }
        if has(Region::Static) {
            let range = self.statics(uses);
            let is_written = uses
                .iter()
                .any(|one| one.region == Region::Static && one.is_store);
            let object = self.static_object(range, is_written);
            plan.statics = Some((object, range[0]));
        }
    }

    fn static_object(&mut self, range: [u32; 2], is_written: bool) -> Object {
        let mut words = self.layout.initial_words(range);
        let count = to_u32(words.len());
        // Reads outside give 0.
        let used = words.iter().rposition(|&word| word != 0);
        words.resize(used.map_or(1, |last| last + 1), 0);
        let (kind, count) = if is_written {
            (ObjectKind::Private(words), count)
        } else {
            let count = to_u32(words.len());
            (ObjectKind::Data(words), count)
        };
        self.function.add_object(ObjectData {
            name: "statics".to_owned(),
            kind,
            element: Element::U32,
            words: Some(count),
            written: is_written,
        })
    }

    fn linear(&mut self, plan: &mut Plan, cfg: &Cfg) {
        let grows = self.grows(cfg);
        let pages = if grows {
            self.layout.max_pages
        } else {
            self.layout.pages
        };
        let object = self.function.add_object(ObjectData {
            name: "memory".to_owned(),
            kind: ObjectKind::Linear,
            element: Element::U32,
            words: Some(pages * (PAGE / 4)),
            written: true,
        });
        plan.linear = Some(object);
        if grows {
            let counter = self.function.add_object(ObjectData {
                name: "pages".to_owned(),
                kind: ObjectKind::Private(vec![self.layout.pages]),
                element: Element::U32,
                words: Some(1),
                written: true,
            });
            plan.size = Size::Counter(counter);
        }
    }
}
