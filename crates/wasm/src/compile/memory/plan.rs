//! Chooses the memory model and the object of every access.
//!
//! In: a function, its analyses and the layout. Out: a [`Plan`]; the function has the new objects,
//! but its instructions are unchanged.
//!
//! Under `MemoryModel::Auto` the frame and the statics become objects of their own if every
//! access has a known region, nothing grows the memory, and they are small enough. Otherwise all
//! that is not a slice is one [`ObjectKind::Linear`]; [`Plan::reason`] says why.

use std::collections::HashMap;

use super::super::CompileError;
use super::super::analysis::alignment::{Alignment, SLICE_ALIGNMENT};
use super::super::analysis::provenance::{Provenances, Region};
use super::super::ir::{Cfg, Function, Object, ObjectKind, Op, Value};
use super::choice::Choice;
use super::frame::Frame;
use super::objects::Objects;
use super::survey::{Analyses, Operand, Survey, Use, static_range};

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
    /// A fixed number of pages.
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
    /// The variables of the frame, with the address of their first word, in ascending order.
    pub(super) frame: Vec<(Object, u32)>,
    /// The statics, likewise.
    pub(super) statics: Option<(Object, u32)>,
    uses: Vec<Use>,
}

impl Plan {
    /// Chooses for a function.
    pub(super) fn new(
        function: &mut Function,
        cfg: &Cfg,
        analyses: Analyses<'_>,
    ) -> Result<Self, CompileError> {
        let Analyses { forms, layout, .. } = analyses;
        let range = static_range(layout);
        let provenances = Provenances::new(function, cfg, forms, &range);
        let uses = Survey {
            function,
            analyses,
            provenances: &provenances,
        }
        .uses(cfg);
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
            frame: Vec::new(),
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
                Region::Frame => {
                    let at = one.span.map_or(0, |span| span[0]);
                    let after = self.frame.partition_point(|&(_, first)| first <= at);
                    self.frame.get(after.saturating_sub(1)).copied().map(object)
                }
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
