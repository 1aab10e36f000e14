//! Memory layout of the lock buffer, the info words and the status words.
//!
//! In: the number of slots. Out: byte offsets for Rust and struct declarations for WGSL, both
//! generated from the same tables, so they cannot diverge. Every member is a 32-bit word or an
//! array of words, hence WGSL's layout has no padding and an offset is a sum.

use std::fmt::Write;

/// How many words a member of the lock buffer has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MemberCount {
    Once,
    PerSlot,
}

/// The members of the lock buffer. For two slots the first four words are the lock, the two active
/// flags and the collision count.
const LOCK_WORDS: &[(&str, MemberCount)] = &[
    ("lock", MemberCount::Once),
    ("batch_active", MemberCount::PerSlot),
    ("collision_count", MemberCount::Once),
    ("next_ticket", MemberCount::PerSlot),
    ("early_count", MemberCount::Once),
    ("spurious_count", MemberCount::Once),
    ("applied_count", MemberCount::Once),
];

/// The info words of a batch, in the order in which [`BatchSlots`](crate::BatchSlots) write them.
/// The last word repeats the result of the guard: every invocation can read it from a uniform at no
/// cost.
pub(crate) const INFO_WORDS: &[&str] = &[
    "slot",
    "ticket",
    "sequence",
    "ordered",
    "serial",
    "epoch",
    "is_active",
];

/// The status words, which precede the results in the readback buffer.
pub(crate) const STATUS_WORDS: &[&str] = &[
    "serial",
    "applied",
    "collision_count",
    "early_count",
    "spurious_count",
    "applied_count",
];

/// Size in bytes of the uniform with [`INFO_WORDS`], rounded up to the alignment of uniforms.
pub(crate) const INFO_SIZE: u64 = 32;
/// Byte offset of the parameters after the info words. No device requires a larger alignment of a
/// uniform.
pub(crate) const PARAMS_OFFSET: u64 = 256;
/// Words before the results, rounded up so that the results are aligned for any type.
pub(crate) const STATUS_SPACE: u32 = 8;

/// Byte offsets of the words of the lock buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockLayout {
    slots: u32,
}

impl LockLayout {
    /// The layout for a number of slots.
    pub const fn new(slots: u32) -> Self {
        Self { slots }
    }

    /// The number of slots.
    pub const fn slots(&self) -> u32 {
        self.slots
    }

    /// Offset of the lock word: 0 when unlocked, 1 when locked.
    pub fn lock(&self) -> u64 {
        self.offset("lock")
    }

    /// Offset of one slot's flag: 1 while its batch holds the lock.
    pub fn batch_active(&self, slot: u32) -> u64 {
        self.offset("batch_active") + 4 * u64::from(slot)
    }

    /// Offset of the count of skipped batches, for any reason.
    pub fn collision_count(&self) -> u64 {
        self.offset("collision_count")
    }

    /// Offset of the ticket that may run next, of the sequence that begins at this slot.
    pub fn next_ticket(&self, sequence: u32) -> u64 {
        self.offset("next_ticket") + 4 * u64::from(sequence)
    }

    /// Offset of the count of batches that were skipped because their ticket was not next.
    pub fn early_count(&self) -> u64 {
        self.offset("early_count")
    }

    /// Offset of the count of compare-exchanges that failed although the lock was free.
    pub fn spurious_count(&self) -> u64 {
        self.offset("spurious_count")
    }

    /// Offset of the count of batches that ran and released the lock.
    pub fn applied_count(&self) -> u64 {
        self.offset("applied_count")
    }

    /// Size of the whole buffer in bytes.
    pub fn size(&self) -> u64 {
        LOCK_WORDS.iter().map(|(_, count)| self.bytes(*count)).sum()
    }

    fn bytes(&self, count: MemberCount) -> u64 {
        match count {
            MemberCount::Once => 4,
            MemberCount::PerSlot => 4 * u64::from(self.slots),
        }
    }

    fn offset(&self, name: &str) -> u64 {
        let before = LOCK_WORDS.iter().take_while(|(word, _)| *word != name);
        before.map(|(_, count)| self.bytes(*count)).sum()
    }

    /// The declaration of `struct BatchLock` in WGSL.
    pub(crate) fn wgsl(&self) -> String {
        let mut text = "struct BatchLock {\n".to_owned();
        for (name, count) in LOCK_WORDS {
            // Writing to a string cannot fail.
            let _ = match count {
                MemberCount::Once => writeln!(text, "    {name}: atomic<u32>,"),
                MemberCount::PerSlot => {
                    writeln!(text, "    {name}: array<atomic<u32>, {}>,", self.slots)
                }
            };
        }
        text + "}\n"
    }
}

/// The declaration of `struct BatchInfo` in WGSL.
pub(crate) fn info_wgsl() -> String {
    let mut text = "struct BatchInfo {\n".to_owned();
    for name in INFO_WORDS {
        let _ = writeln!(text, "    {name}: u32,");
    }
    text + "}\n"
}

/// The index of a status word in the readback buffer.
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
