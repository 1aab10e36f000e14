//! The printed output of a launch, up to a limit: a kernel that prints forever must not take all
//! memory.

/// Maximum bytes of all printed texts of a launch.
pub const PRINT_ROOM: usize = 32 << 20;

/// Bytes that each text takes in addition.
const OVERHEAD: usize = size_of::<(u32, String)>();

/// Printed texts in order of arrival.
#[derive(Debug, Default)]
pub struct Prints {
    kept: Vec<(u32, String)>,
    bytes: usize,
    /// The thread of the first text that was dropped, and how many were.
    left_out: Option<(u32, u64)>,
}

impl Prints {
    /// Whether a text of that many bytes would be kept. Once one was dropped, all later ones are.
    pub fn has_room(&self, bytes: usize) -> bool {
        let taken = self.bytes.saturating_add(OVERHEAD).saturating_add(bytes);
        self.left_out.is_none() && taken <= PRINT_ROOM
    }

    /// Adds a text, or counts it as dropped if the limit is reached.
    pub fn add(&mut self, thread: u32, text: &[u8]) {
        if self.has_room(text.len()) {
            let text = String::from_utf8_lossy(text).into_owned();
            self.bytes += OVERHEAD + text.len();
            self.kept.push((thread, text));
        } else {
            self.leave_out(thread);
        }
    }

    /// Counts a text as dropped.
    pub fn leave_out(&mut self, thread: u32) {
        self.left_out.get_or_insert((thread, 0)).1 += 1;
    }

    /// All texts, and a last line that tells how many were dropped.
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
        // Nothing is kept after a dropped text.
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
