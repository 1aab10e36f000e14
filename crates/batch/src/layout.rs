//! Where every word lies: in the lock buffer, in what a batch is told, and in what comes back.
//!
//! In: the number of slots. Out: byte offsets for Rust and struct declarations for WGSL, both made
//! from the same tables, so that they cannot part. Every member is a 32-bit word or an array of them,
//! hence WGSL's layout has no padding and an offset is a sum.

use std::fmt::Write;

/// How often a member of the lock buffer occurs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Count {
    Once,
    PerSlot,
}

/// The members of the lock buffer. For two slots the first four words are the lock, the two active
/// flags and the collision count.
const LOCK_WORDS: &[(&str, Count)] = &[
    ("lock", Count::Once),
    ("batch_active", Count::PerSlot),
    ("collision_count", Count::Once),
    ("next_ticket", Count::PerSlot),
    ("early_count", Count::Once),
    ("spurious_count", Count::Once),
    ("applied_count", Count::Once),
];

/// What a batch is told about itself, in the order in which [`BatchSlots`](crate::BatchSlots) write
/// it. The last word is the guard's answer, a second time: from a uniform every invocation reads it
/// at no cost.
pub(crate) const INFO_WORDS: &[&str] = &[
    "slot",
    "ticket",
    "sequence",
    "ordered",
    "serial",
    "epoch",
    "is_active",
];

/// What stands before the results that come back.
pub(crate) const STATUS_WORDS: &[&str] = &[
    "serial",
    "applied",
    "collision_count",
    "early_count",
    "spurious_count",
    "applied_count",
];

/// Bytes of the uniform with [`INFO_WORDS`], rounded as uniforms like it.
pub(crate) const INFO_SIZE: u64 = 32;
/// Where the parameters lie behind it. No device asks more of the offset of a uniform.
pub(crate) const PARAMS_OFFSET: u64 = 256;
/// Words before the results, rounded so that the results begin aligned for any type.
pub(crate) const STATUS_SPACE: u32 = 8;

/// Where the words of the lock buffer lie, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockLayout {
    slots: u32,
}

impl LockLayout {
    /// The layout for so many slots.
    pub const fn new(slots: u32) -> Self {
        Self { slots }
    }

    /// How many slots there are.
    pub const fn slots(&self) -> u32 {
        self.slots
    }

    /// The lock word: 0 when unlocked, 1 when locked.
    pub fn lock(&self) -> u64 {
        self.offset("lock")
    }

    /// The flag of one slot: 1 while its batch holds the lock.
    pub fn batch_active(&self, slot: u32) -> u64 {
        self.offset("batch_active") + 4 * u64::from(slot)
    }

    /// Batches that were skipped, for whatever reason.
    pub fn collision_count(&self) -> u64 {
        self.offset("collision_count")
    }

    /// The ticket that may run next, of the sequence that begins at this slot.
    pub fn next_ticket(&self, sequence: u32) -> u64 {
        self.offset("next_ticket") + 4 * u64::from(sequence)
    }

    /// Of the skipped batches those whose turn it was not.
    pub fn early_count(&self) -> u64 {
        self.offset("early_count")
    }

    /// Compare-exchanges that failed although the lock was free.
    pub fn spurious_count(&self) -> u64 {
        self.offset("spurious_count")
    }

    /// Batches that ran and released the lock.
    pub fn applied_count(&self) -> u64 {
        self.offset("applied_count")
    }

    /// Bytes of the whole buffer.
    pub fn size(&self) -> u64 {
        LOCK_WORDS.iter().map(|(_, count)| self.bytes(*count)).sum()
    }

    fn bytes(&self, count: Count) -> u64 {
        match count {
            Count::Once => 4,
            Count::PerSlot => 4 * u64::from(self.slots),
        }
    }

    fn offset(&self, name: &str) -> u64 {
        let before = LOCK_WORDS.iter().take_while(|(word, _)| *word != name);
        before.map(|(_, count)| self.bytes(*count)).sum()
    }

    /// `struct BatchLock` in WGSL.
    pub(crate) fn wgsl(&self) -> String {
        let mut text = "struct BatchLock {\n".to_owned();
        for (name, count) in LOCK_WORDS {
            // Writing to a string cannot fail.
            let _ = match count {
                Count::Once => writeln!(text, "    {name}: atomic<u32>,"),
                Count::PerSlot => writeln!(text, "    {name}: array<atomic<u32>, {}>,", self.slots),
            };
        }
        text + "}\n"
    }
}

/// `struct BatchInfo` in WGSL.
pub(crate) fn info_wgsl() -> String {
    let mut text = "struct BatchInfo {\n".to_owned();
    for name in INFO_WORDS {
        let _ = writeln!(text, "    {name}: u32,");
    }
    text + "}\n"
}

/// The place of a status word among the words that come back.
pub(crate) fn status_word(name: &str) -> usize {
    let place = STATUS_WORDS.iter().position(|word| *word == name);
    place.expect("a word of the table")
}

#[cfg(test)]
mod tests {
    use super::{INFO_SIZE, INFO_WORDS, LockLayout, STATUS_SPACE, STATUS_WORDS};

    #[test]
    fn two_slots_have_the_four_words_of_the_scheme() {
        let layout = LockLayout::new(2);
        let words = [
            layout.lock(),
            layout.batch_active(0),
            layout.batch_active(1),
            layout.collision_count(),
        ];
        assert_eq!(words, [0, 4, 8, 12]);
    }

    #[test]
    fn words_do_not_overlap() {
        for slots in [1, 2, 3, 8, 100] {
            let layout = LockLayout::new(slots);
            let mut words = vec![
                layout.lock(),
                layout.collision_count(),
                layout.early_count(),
                layout.spurious_count(),
                layout.applied_count(),
            ];
            for slot in 0..slots {
                words.extend([layout.batch_active(slot), layout.next_ticket(slot)]);
            }
            words.sort_unstable();
            let all: Vec<u64> = (0..layout.size()).step_by(4).collect();
            assert_eq!(words, all);
        }
    }

    #[test]
    fn the_tables_fit_their_space() {
        assert!(4 * INFO_WORDS.len() as u64 <= INFO_SIZE);
        assert!(STATUS_WORDS.len() as u32 <= STATUS_SPACE);
    }
}
