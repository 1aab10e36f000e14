//! The constant pool: deduplicated words and vectors, in read-only pages before the code.

use std::collections::HashMap;

/// The constants, which are addressed by their offset in `bytes`.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    pub(crate) bytes: Vec<u8>,
    words: HashMap<u32, u32>,
    vectors: HashMap<Vec<u32>, u32>,
}

impl Pool {
    /// The offset of a word.
    pub(crate) fn word(&mut self, word: u32) -> i32 {
        let offset = *self.words.entry(word).or_insert_with(|| {
            self.bytes.extend(word.to_le_bytes());
            self.bytes.len() as u32 - 4
        });
        offset as i32
    }

    /// The offset of a vector, a multiple of 64 bytes.
    pub(crate) fn vector(&mut self, words: &[u32]) -> i32 {
        if let Some(offset) = self.vectors.get(words) {
            return *offset as i32;
        }
        let offset = self.bytes.len().next_multiple_of(64);
        self.bytes.resize(offset, 0);
        self.bytes
            .extend(words.iter().flat_map(|word| word.to_le_bytes()));
        self.vectors.insert(words.to_vec(), offset as u32);
        offset as i32
    }
}
