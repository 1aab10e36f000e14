//! A quick hash for small keys of our own making: multiply and rotate, word by word.
//!
//! Keys are instructions, never data of a user, so that nothing has to withstand chosen collisions.

use std::hash::{BuildHasherDefault, Hasher};

/// A map with the quick hash.
pub(crate) type Map<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Quick>>;

/// The state of the hash.
#[derive(Clone, Copy, Default)]
pub(crate) struct Quick(u64);

impl Quick {
    fn add(&mut self, word: u64) {
        // Any odd number with bits all over does; this one is 2^64 divided by the golden ratio.
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        // Tables use the lower bits, which a product mixes least.
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.add(u64::from(word));
    }

    fn write_u32(&mut self, word: u32) {
        self.add(u64::from(word));
    }

    fn write_i32(&mut self, word: i32) {
        self.add(u64::from(word as u32));
    }

    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    fn write_isize(&mut self, word: isize) {
        self.add(word as u64);
    }

    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }
}
