//! Static stack caching: tracks which slots' values are held in registers, during decoding. The
//! state is exact within a basic block, and empty at its beginning.

use super::super::window::ValueKind;

/// The slots of the held results, one for each register.
#[derive(Clone, Copy, Default)]
pub(super) struct CachedSlots {
    integer: Option<(u8, ValueKind)>,
    single: Option<u8>,
    double: Option<u8>,
}

impl CachedSlots {
    pub(super) fn contains(&self, slot: u8, kind: ValueKind) -> bool {
        match kind {
            ValueKind::Word | ValueKind::Wide => self.integer == Some((slot, kind)),
            ValueKind::Single => self.single == Some(slot),
            ValueKind::Double => self.double == Some(slot),
        }
    }

    /// The slots were written with values that are not held.
    pub(super) fn invalidate(&mut self, slot: u8, width: u16) {
        let begin = u16::from(slot);
        let apart = |held: u8, kind: ValueKind| {
            let held = u16::from(held);
            held + kind.width() <= begin || begin + width <= held
        };
        self.integer = self.integer.filter(|&(held, kind)| apart(held, kind));
        self.single = self.single.filter(|&held| apart(held, ValueKind::Single));
        self.double = self.double.filter(|&held| apart(held, ValueKind::Double));
    }

    /// The slot was written with a value that is now held.
    pub(super) fn insert(&mut self, slot: u8, kind: ValueKind) {
        self.invalidate(slot, kind.width());
        match kind {
            ValueKind::Word | ValueKind::Wide => self.integer = Some((slot, kind)),
            ValueKind::Single => self.single = Some(slot),
            ValueKind::Double => self.double = Some(slot),
        }
    }
}
