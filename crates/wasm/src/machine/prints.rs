//! What kernels print, up to a limit: one that never stops must not take all memory.

/// Bytes that all prints of a launch may take.
pub const PRINT_ROOM: usize = 32 << 20;

/// Bytes that each takes beside its text.
const OVERHEAD: usize = size_of::<(u32, String)>();

/// Prints in the order in which they arrive.
#[derive(Debug, Default)]
pub struct Prints {
    kept: Vec<(u32, String)>,
    bytes: usize,
    /// Those that had no room, and the thread of the first.
    left_out: Option<(u32, u64)>,
}

impl Prints {
    /// Whether a text of that many bytes would be kept: it is not, as soon as one had no room.
    pub fn has_room(&self, bytes: usize) -> bool {
        let taken = self.bytes.saturating_add(OVERHEAD).saturating_add(bytes);
        self.left_out.is_none() && taken <= PRINT_ROOM
    }

    /// Adds what a thread prints, or counts it where there is no room.
    pub fn add(&mut self, thread: u32, text: &[u8]) {
        if self.has_room(text.len()) {
            let text = String::from_utf8_lossy(text).into_owned();
            self.bytes += OVERHEAD + text.len();
            self.kept.push((thread, text));
        } else {
            self.leave_out(thread);
        }
    }

    /// Counts what a thread prints without keeping it.
    pub fn leave_out(&mut self, thread: u32) {
        self.left_out.get_or_insert((thread, 0)).1 += 1;
    }

    /// All of them, and a last line that says how many were left out.
    pub fn take(self) -> Vec<(u32, String)> {
        let mut kept = self.kept;
        let line = |(thread, count)| (thread, format!("... {count} more"));
        kept.extend(self.left_out.map(line));
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::{PRINT_ROOM, Prints};

    #[test]
    fn what_has_no_room_is_counted() {
        let mut prints = Prints::default();
        let text = vec![b'x'; PRINT_ROOM / 4];
        for thread in 0..10 {
            prints.add(thread, &text);
        }
        // Nothing comes behind a gap.
        prints.add(10, b"short");
        let printed = prints.take();
        let threads: Vec<u32> = printed.iter().map(|(thread, _)| *thread).collect();
        assert_eq!(threads, [0, 1, 2, 3]);
        assert_eq!(printed[3].1, "... 8 more");
    }

    #[test]
    fn empty_prints_take_room_too() {
        let mut prints = Prints::default();
        for _ in 0..PRINT_ROOM {
            prints.add(0, b"");
        }
        assert!(prints.take().len() < PRINT_ROOM / 16);
    }
}
