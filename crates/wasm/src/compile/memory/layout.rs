//! What `memory` must know of the linear memory of a kernel.

use std::collections::BTreeMap;

use wasmparser::DataKind;

use super::super::CompileError;
use crate::module::{Definitions, LinkedModule, constant, to_u32};

/// How linear memory becomes objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MemoryModel {
    /// Objects of their own for slices, the stack frame and static variables, where the module
    /// was made by a linker and every address is found to belong to one of them; else linear.
    /// This relies on the compiler that made the module: it does not compute addresses across
    /// objects, as no compiler of a language with bounds checks or provenance does.
    #[default]
    Auto,
    /// One linear memory for each invocation, with all bounds checks. It holds for every module.
    Linear,
}

/// The linear memory of a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryLayout {
    /// Initial pages.
    pub pages: u32,
    /// Pages that an invocation can have at most: what is reserved for `memory.grow`.
    pub max_pages: u32,
    /// Whether the memory can grow, but nothing is reserved for that: then `memory.grow` is refused,
    /// because its failure would be a difference between tiers.
    pub lacks_reserve: bool,
    /// The initial stack pointer.
    pub stack_pointer: u32,
    /// The addresses of static variables: first, and one past the last.
    pub statics: [u32; 2],
    /// Whether a linker has laid out the memory, so that the stack and the statics are known.
    pub is_linked: bool,
    /// The active data segments, in order: address and bytes.
    pub segments: Vec<(u32, Vec<u8>)>,
    /// The passive data segments, by index in the module.
    pub passive: BTreeMap<u32, Vec<u8>>,
    /// The workgroup size, if it is fixed.
    pub workgroup_size: Option<[u32; 3]>,
    /// The choice of the caller.
    pub model: MemoryModel,
}

/// Bytes of a page.
pub(super) const PAGE: u32 = 1 << 16;

/// Pages of a linear memory at most: addresses in it must not look negative.
const MAX_PAGES: u32 = 0x7fff;

impl MemoryLayout {
    /// The layout of a module's memory 0, with room to grow to `reserve` pages.
    pub(crate) fn of(
        linked: &LinkedModule<'_>,
        definitions: &Definitions,
        model: MemoryModel,
        reserve: u32,
    ) -> Self {
        let limits = linked.memories.first().map(|&memory| {
            let limits = definitions.memories[memory as usize];
            (limits.initial, limits.maximum.unwrap_or(u32::MAX))
        });
        let (pages, maximum) = limits.unwrap_or((0, 0));
        let statics = linked.statics;
        let pointer = statics.and_then(|statics| statics.stack_pointer);
        let exports = &linked.module.exports;
        let has_linker_export = exports
            .iter()
            .any(|export| matches!(export.name, "__heap_base" | "__data_end"));
        let mut layout = Self {
            pages,
            max_pages: maximum.min(reserve).max(pages),
            lacks_reserve: reserve == 0 && maximum > pages,
            stack_pointer: pointer.map_or(0, |global| {
                definitions.globals[global as usize].value.bits() as u32
            }),
            statics: statics.map_or([0, 0], |statics| statics.range),
            is_linked: pointer.is_some() || has_linker_export,
            model,
            ..Self::default()
        };
        layout.take_segments(linked, definitions);
        layout
    }

    fn take_segments(&mut self, linked: &LinkedModule<'_>, definitions: &Definitions) {
        for (number, data) in (0..).zip(&linked.module.data) {
            let bytes = data.data.to_vec();
            match &data.kind {
                DataKind::Passive => {
                    self.passive.insert(number, bytes);
                }
                DataKind::Active { offset_expr, .. } => {
                    if let Ok(offset) = constant(offset_expr) {
                        let at = linked.value(offset, definitions).bits() as u32;
                        self.segments.push((at, bytes));
                    }
                }
            }
        }
    }

    /// An error if the memory is too large for the compiled tier, or a segment lies outside it.
    pub(super) fn check(&self) -> Result<(), CompileError> {
        let size = u64::from(self.pages) << 16;
        let is_inside = |(at, bytes): &(u32, Vec<u8>)| u64::from(*at) + bytes.len() as u64 <= size;
        let feature = if self.max_pages > MAX_PAGES {
            format!("a linear memory of {} pages", self.max_pages)
        } else if !self.segments.iter().all(is_inside) {
            "a data segment outside the memory".to_owned()
        } else {
            return Ok(());
        };
        Err(CompileError::Unsupported {
            feature,
            function: "the module".to_owned(),
            offset: 0,
        })
    }

    /// The initial memory, as runs of words: address of the first word divided by 4, and words.
    /// Small gaps are filled with zeros.
    pub(super) fn image(&self) -> Vec<(u32, Vec<u32>)> {
        const GAP: u32 = 16;
        let mut spans: Vec<(u32, u32)> = self
            .segments
            .iter()
            .filter(|(_, bytes)| !bytes.is_empty())
            .map(|(at, bytes)| (at / 4, at.saturating_add(to_u32(bytes.len())).div_ceil(4)))
            .collect();
        spans.sort_unstable();
        let mut runs: Vec<(u32, Vec<u32>)> = Vec::new();
        for (first, end) in spans {
            match runs.last_mut() {
                Some((at, words)) if first <= *at + to_u32(words.len()) + GAP => {
                    let length = (end - *at) as usize;
                    words.resize(length.max(words.len()), 0);
                }
                _ => runs.push((first, vec![0; (end - first) as usize])),
            }
        }
        for (at, bytes) in &self.segments {
            let run = runs.partition_point(|(first, _)| *first <= at / 4);
            let Some((first, words)) = run.checked_sub(1).and_then(|run| runs.get_mut(run)) else {
                continue;
            };
            for (at, &byte) in (*at..).zip(bytes) {
                let shift = at % 4 * 8;
                let word = &mut words[(at / 4 - *first) as usize];
                *word = *word & !(0xff << shift) | u32::from(byte) << shift;
            }
        }
        runs
    }

    /// The initial words of an address range, which begins at a multiple of 4.
    pub(super) fn initial_words(&self, [first, end]: [u32; 2]) -> Vec<u32> {
        let mut words = vec![0; (end.saturating_sub(first)).div_ceil(4) as usize];
        for (at, run) in self.image() {
            for (at, word) in (at..).zip(run) {
                let place = at.checked_sub(first / 4);
                if let Some(slot) = place.and_then(|place| words.get_mut(place as usize)) {
                    *slot = word;
                }
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryLayout;

    #[test]
    fn later_segments_replace_earlier_ones_in_the_image() {
        let layout = MemoryLayout {
            pages: 1,
            segments: vec![
                (1025, vec![1, 2, 3, 4, 5]),
                (1028, vec![9]),
                (8, vec![7; 4]),
            ],
            ..MemoryLayout::default()
        };
        assert_eq!(
            layout.image(),
            [(2, vec![0x0707_0707]), (256, vec![0x0302_0100, 0x0509])]
        );
        assert_eq!(layout.initial_words([1028, 1036]), [0x0509, 0]);
        assert_eq!(layout.check(), Ok(()));
    }
}
