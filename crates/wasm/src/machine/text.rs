//! Texts of kernels (prints and panic messages), with the limits that both executors apply.

/// Bytes of one text that are shown.
pub(crate) const MOST_TEXT: u32 = 1 << 16;

/// Maximum bytes of all panic messages of a launch. Later messages are dropped: every thread of a
/// large grid may panic with a long one.
pub(crate) const PANIC_ROOM: usize = 32 << 20;

/// A text of `length` bytes, the first of which are given. A truncated text ends with the number of
/// missing bytes.
pub(crate) fn shown(bytes: &[u8], length: u32) -> String {
    let most = (MOST_TEXT as usize).min(bytes.len());
    let mut text = String::from_utf8_lossy(&bytes[..most]).into_owned();
    let more = length.saturating_sub(MOST_TEXT);
    if more > 0 {
        text.push_str(&format!("... {more} more bytes"));
    }
    text
}
