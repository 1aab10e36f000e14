//! The initial contents of a linear memory, which begins as zeros.
//!
//! Out: at the start of the kernel, stores of the data segments, or copies from static data where
//! there are many words.

use super::super::ir::{Binary, Element, Object, ObjectData, ObjectKind};
use super::Lowering;
use crate::module::to_u32;

/// Words that are stored as constants, at most.
const STORED: usize = 16;

impl Lowering<'_> {
    /// Writes the data segments.
    pub(super) fn initialize(&mut self) {
        let Some(memory) = self.plan.linear else {
            return;
        };
        let runs = self.layout.image();
        let total: usize = runs.iter().map(|(_, words)| words.len()).sum();
        if total <= STORED {
            for (first, words) in runs {
                for (at, word) in (first..).zip(words).filter(|(_, word)| *word != 0) {
                    let [index, word] = [at, word].map(|bits| self.editor.word(bits));
                    self.editor.store(memory, index, word);
                }
            }
            return;
        }
        let data: Vec<u32> = runs.iter().flat_map(|(_, words)| words).copied().collect();
        let data = self.editor.function.add_object(ObjectData {
            name: "data_segments".to_owned(),
            words: Some(to_u32(data.len())),
            kind: ObjectKind::Data(data),
            element: Element::U32,
            written: false,
        });
        let mut from = 0;
        for (first, words) in runs {
            let count = to_u32(words.len());
            self.copy_run((memory, first), (data, from), count);
            from += count;
        }
    }

    fn copy_run(&mut self, to: (Object, u32), from: (Object, u32), count: u32) {
        let count = self.editor.word(count);
        self.editor.repeat(count, |editor, turn| {
            let source = editor.binary_word(Binary::Add, turn, from.1);
            let word = editor.load(from.0, source);
            let target = editor.binary_word(Binary::Add, turn, to.1);
            editor.store(to.0, target, word);
        });
    }
}
