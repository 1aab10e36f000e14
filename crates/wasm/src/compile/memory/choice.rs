//! Chooses the memory model of a function, and makes its objects.

use super::super::CompileError;
use super::super::analysis::provenance::Region;
use super::super::ir::{Cfg, Element, Function, Object, ObjectData, ObjectKind, Op};
use super::frame::Frame;
use super::layout::{MemoryLayout, MemoryModel, PAGE};
use super::plan::{Plan, Size};
use super::survey::Use;
use crate::module::to_u32;

/// Words of written statics that are private to each invocation, at most.
const MAX_WRITTEN_STATICS: u32 = 1 << 10;

/// Chooses the model, and makes its objects.
pub(super) struct Choice<'a> {
    pub(super) function: &'a mut Function,
    pub(super) layout: &'a MemoryLayout,
    pub(super) frame: Frame,
}

impl Choice<'_> {
    /// Why the kernel needs a linear memory, if it does.
    pub(super) fn reason(&self, cfg: &Cfg, uses: &[Use]) -> Option<String> {
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
    pub(super) fn check_slices(&self, uses: &[Use]) -> Result<(), CompileError> {
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
        let whole = self.layout.statics;
        let [mut first, mut end] = [u32::MAX, 0];
        for one in uses.iter().filter(|one| one.region == Region::Static) {
            let [low, high] = one
                .span
                .filter(|span| whole[0] <= span[0] && span[1] <= whole[1])
                .unwrap_or(whole);
            first = first.min(low);
            end = end.max(high);
        }
        let first = first.min(end) & !3;
        [first, end.max(first).div_ceil(4).saturating_mul(4)]
    }

    /// Makes the objects of the resolved model.
    pub(super) fn objects(&mut self, plan: &mut Plan, uses: &[Use]) {
        let has = |region| uses.iter().any(|one| one.region == region);
        if has(Region::Frame) {
            for [first, end] in self.frame.variables(uses, self.layout) {
                let object = self.function.add_object(ObjectData {
                    name: format!("frame_{}", first - self.frame.first.unwrap_or(first)),
                    kind: ObjectKind::Private(Vec::new()),
                    element: Element::U32,
                    words: Some((end - first) / 4),
                    written: true,
                });
                plan.frame.push((object, first));
            }
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

    /// Makes the linear memory.
    pub(super) fn linear(&mut self, plan: &mut Plan, cfg: &Cfg) {
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
