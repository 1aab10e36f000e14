//! `memory.size` and `memory.grow`: the pages are a private word, if something grows the memory.

use super::super::ir::{Binary, Value};
use super::Lowering;
use super::plan::Size;

impl Lowering<'_> {
    /// The size in pages.
    pub(super) fn memory_size(&mut self) -> Value {
        match self.plan.size {
            Size::Fixed(pages) => self.editor.word(pages),
            Size::Counter(counter) => self.pages(counter),
        }
    }

    /// The old size in pages, or -1 if there is not enough room.
    pub(super) fn memory_grow(&mut self, pages: Value) -> Value {
        let Size::Counter(counter) = self.plan.size else {
            return self.editor.word(u32::MAX);
        };
        let max = self.layout.max_pages;
        let old = self.pages(counter);
        let editor = &mut self.editor;
        // Both numbers are checked against the room that is left, so nothing wraps.
        let max = editor.word(max);
        let room = editor.binary(Binary::Sub, max, old);
        let is_too_much = editor.binary(Binary::LtUnsigned, room, pages);
        let sum = editor.binary(Binary::Add, old, pages);
        let new = editor.select(is_too_much, old, sum);
        let first = editor.word(0);
        editor.store(counter, first, new);
        let failed = editor.word(u32::MAX);
        editor.select(is_too_much, failed, old)
    }
}
