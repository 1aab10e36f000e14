//! The printed output of a launch, up to a limit: a kernel that prints forever must not take all
//! memory.

/// Maximum bytes of all printed texts of a launch.
pub const MAX_PRINT_BYTES: usize = 32 << 20;

/// Bytes that each text takes in addition.
const OVERHEAD: usize = size_of::<(u32, String)>();

/// Printed texts in order of arrival.
#[derive(Debug, Default)]
pub struct PrintLog {
    kept: Vec<(u32, String)>,
    bytes: usize,
    /// The thread of the first text that was dropped, and how many were.
    dropped: Option<(u32, u64)>,
}

impl PrintLog {
    /// Whether a text of that many bytes would be kept. Once one was dropped, all later ones are.
    pub fn has_room(&self, bytes: usize) -> bool {
        let taken = self.bytes.saturating_add(OVERHEAD).saturating_add(bytes);
        self.dropped.is_none() && taken <= MAX_PRINT_BYTES
    }

    /// Adds a text, or counts it as dropped if the limit is reached.
    pub fn add(&mut self, thread: u32, text: &[u8]) {
        if self.has_room(text.len()) {
            let text = String::from_utf8_lossy(text).into_owned();
            self.bytes += OVERHEAD + text.len();
            self.kept.push((thread, text));
        } else {
            self.count_dropped(thread);
        }
    }

    /// Counts a text as dropped.
    pub fn count_dropped(&mut self, thread: u32) {
        self.dropped.get_or_insert((thread, 0)).1 += 1;
    }

    /// All texts, and a last line that tells how many were dropped.
    pub fn take(self) -> Vec<(u32, String)> {
        let mut kept = self.kept;
        let line = |(thread, count)| (thread, format!("... {count} more"));
        kept.extend(self.dropped.map(line));
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_PRINT_BYTES, PrintLog};

    #[test]
    fn what_has_no_room_is_counted() {
        let mut prints = PrintLog::default();
        let text = vec![b'x'; MAX_PRINT_BYTES / 4];
        for thread in 0..10 {
            prints.add(thread, &text);
        }
        // Nothing is kept after a dropped text.
        prints.add(10, b"short");
        let printed = prints.take();
        let threads: Vec<u32> = printed.iter().map(|(thread, _)| *thread).collect();
        assert_eq!(threads, [0, 1, 2, 3]);
        assert_eq!(printed[3].1, "... 8 more");
    }

    #[test]
    fn empty_prints_take_room_too() {
        let mut prints = PrintLog::default();
        for _ in 0..MAX_PRINT_BYTES {
            prints.add(0, b"");
        }
        assert!(prints.take().len() < MAX_PRINT_BYTES / 16);
    }
}
