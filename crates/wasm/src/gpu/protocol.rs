//! The constants that the host and the shader share: word indices in buffers, and statuses.
//!
//! Macros declare each of them once, for Rust and for WGSL ([`wgsl`]), so they cannot diverge.

use std::fmt::Write;

use crate::runtime::MAX_PATH_BYTES;

macro_rules! constants {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)*) => {
        $($(#[$doc])* pub(super) const $name: u32 = $value;)*

        const CONSTANTS: &[(&str, u32)] = &[$((stringify!($name), $name),)*];
    };
}

constants! {
    /// Invocations of a workgroup of the shader.
    LANES = 64;
    /// The first word of a thread's header: the next instruction.
    H_PC = 0;
    /// The position of its frame.
    H_FP = 1;
    /// Its [`Status`].
    H_STATUS = 2;
    /// The trap code.
    H_TRAP = 3;
    /// The instruction that trapped.
    H_WORD = 4;
    /// Two words: the fuel left.
    H_FUEL = 5;
    /// Two words: the number of instructions run.
    H_RUN = 7;
    /// Two words: the memory growth that it waits for, progress of `table.grow`, or a panic message.
    H_WANTED = 9;
    /// Words of the header.
    HEADER = 12;
    /// The first word of the report buffer: the number of pending host calls.
    REPORT_REQUESTS = 0;
    /// The memory growth that a thread waits for: memory and pages.
    REPORT_WANTED = 1;
    /// Number of threads with each status.
    REPORT_COUNTS = 2;
    /// The first entry of the host call ring.
    REPORT_RING = 16;
    /// Words of an entry of the ring.
    REQUEST_WORDS = 8;
    /// Bits of the pages in a memory growth; the memory index is above.
    WANTED_PAGES = 17;
    /// The first word of the work queue: items taken.
    QUEUE_HEAD = 0;
    /// Items added.
    QUEUE_TAIL = 1;
    /// Whether the queue is closed.
    QUEUE_CLOSED = 2;
    /// The first item.
    QUEUE_ITEMS = 3;
    /// A host call has no result.
    RESULT_NONE = 0;
    /// A host call has a value as its result.
    RESULT_VALUE = 1;
    /// A host call traps.
    RESULT_TRAP = 2;
}

macro_rules! statuses {
    ($($(#[$doc:meta])* $number:literal $status:ident $name:literal;)*) => {
        /// The status of a thread on the device.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub(super) enum Status { $($(#[$doc])* $status = $number,)* }

        impl Status {
            /// All statuses, by number.
            pub(super) const ALL: &[Self] = &[$(Self::$status,)*];

            /// The status with a number, if there is one.
            pub(super) fn from_number(number: u32) -> Option<Self> {
                Self::ALL.get(number as usize).copied()
            }

            const fn wgsl_name(self) -> &'static str {
                match self { $(Self::$status => $name,)* }
            }
        }
    };
}

statuses! {
    /// It can run.
    0 Ready "READY";
    /// It has returned.
    1 Done "DONE";
    /// It has trapped.
    2 Trapped "TRAPPED";
    /// It waits at a barrier.
    3 WaitBarrier "WAIT_BARRIER";
    /// It waits for the host.
    4 WaitHost "WAIT_HOST";
    /// It waits for a work item.
    5 WaitWork "WAIT_WORK";
    /// It waits for space in the host call ring.
    6 WaitRing "WAIT_RING";
    /// It waits for capacity of a memory.
    7 WaitMemory "WAIT_MEMORY";
    /// It is not part of the launch.
    8 Absent "ABSENT";
}

impl Status {
    /// Whether the thread has returned or trapped.
    pub(super) fn has_ended(self) -> bool {
        matches!(self, Self::Done | Self::Trapped)
    }

    /// Whether the thread runs no more, or never did.
    pub(super) fn is_final(self) -> bool {
        self.has_ended() || self == Self::Absent
    }
}

/// The declarations of the constants in WGSL.
pub(super) fn wgsl() -> String {
    let statuses = Status::ALL
        .iter()
        .map(|&status| (status.wgsl_name(), status as u32));
    let own = [("MAX_PATH_BYTES", MAX_PATH_BYTES)];
    let mut text = String::new();
    for (name, value) in CONSTANTS.iter().copied().chain(statuses).chain(own) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "const {name}: u32 = {value}u;");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::Status;

    #[test]
    fn statuses_are_listed_by_number() {
        for (number, &status) in (0..).zip(Status::ALL) {
            assert_eq!(status as u32, number);
        }
    }
}
