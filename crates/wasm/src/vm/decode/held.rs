//! Tracks which slots' values are held in registers, during decoding. The state is exact within a
//! basic block, and empty at its beginning.

use super::super::window::Kind;

/// The slots of the held results, one for each register.
#[derive(Clone, Copy, Default)]
pub(super) struct HeldSlots {
    integer: Option<(u8, Kind)>,
    single: Option<u8>,
    double: Option<u8>,
}

impl HeldSlots {
    pub(super) fn holds(&self, slot: u8, kind: Kind) -> bool {
        match kind {
            Kind::Word | Kind::Wide => self.integer == Some((slot, kind)),
            Kind::Single => self.single == Some(slot),
            Kind::Double => self.double == Some(slot),
        }
    }

    /// The slots were written with values that are not held.
    pub(super) fn forget(&mut self, slot: u8, width: u16) {
        let begin = u16::from(slot);
        let apart = |held: u8, kind: Kind| {
            let held = u16::from(held);
            held + kind.width() <= begin || begin + width <= held
        };
        self.integer = self.integer.filter(|&(held, kind)| apart(held, kind));
        self.single = self.single.filter(|&held| apart(held, Kind::Single));
        self.double = self.double.filter(|&held| apart(held, Kind::Double));
    }

    /// The slot was written with a value that is now held.
    pub(super) fn hold(&mut self, slot: u8, kind: Kind) {
        self.forget(slot, kind.width());
        match kind {
            Kind::Word | Kind::Wide => self.integer = Some((slot, kind)),
            Kind::Single => self.single = Some(slot),
            Kind::Double => self.double = Some(slot),
        }
    }
}
