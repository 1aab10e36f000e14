//! The status words that are read back with a batch: whether it was applied, and the device's
//! counters.

use crate::layout::{STATUS_SPACE, status_word};

/// Counters that the device keeps in the lock buffer, over all owners of its slots. They wrap
/// around at 2^32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceCounters {
    /// Batches that were skipped, for any reason.
    pub collisions: u32,
    /// Skipped batches whose ticket was not next.
    pub early: u32,
    /// Compare-exchanges that failed although the lock was free.
    pub spurious: u32,
    /// Batches that were applied.
    pub applied: u32,
}

/// The status words, which precede the results of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotStatus {
    /// The serial number that the batch was submitted with.
    pub serial: u32,
    /// Whether it was applied; if not, it was skipped and has changed nothing.
    pub is_applied: bool,
    /// The device's counters when the batch ended.
    pub counters: DeviceCounters,
}

impl SlotStatus {
    /// Bytes before the results.
    pub const SIZE: u64 = 4 * STATUS_SPACE as u64;

    /// Reads the bytes at the front of a slot's readback buffer; `None` if there are too few.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let word = |name: &str| -> Option<u32> {
            let begin = 4 * status_word(name);
            let word = bytes.get(begin..begin + 4)?;
            Some(u32::from_le_bytes(word.try_into().ok()?))
        };
        Some(Self {
            serial: word("serial")?,
            is_applied: word("applied")? != 0,
            counters: DeviceCounters {
                collisions: word("collision_count")?,
                early: word("early_count")?,
                spurious: word("spurious_count")?,
                applied: word("applied_count")?,
            },
        })
    }
}
