//! A fast, non-cryptographic hasher for small keys: rotate, xor and multiply, word by word, as FxHash does.
//!
//! Keys are parts of the IR, which are numbered by the compiler, so that resistance to chosen collisions is not needed.

use std::hash::{BuildHasherDefault, Hasher};

/// A hash map with the fast hasher.
pub(crate) type Map<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// The state of the hash.
#[derive(Clone, Copy, Default)]
pub(crate) struct FastHasher(u64);

impl FastHasher {
    fn add(&mut self, word: u64) {
        // An odd multiplier: 2^64 divided by the golden ratio (Fibonacci hashing).
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for FastHasher {
    fn finish(&self) -> u64 {
        // Tables use the low bits, which a product mixes least.
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
