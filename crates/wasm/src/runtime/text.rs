//! Texts of kernels (prints and panic messages), with the limits that both executors apply.

/// Bytes of one text that are shown.
pub(crate) const MAX_TEXT_BYTES: u32 = 1 << 16;

/// Maximum bytes of all panic messages of a launch. Later messages are dropped: every thread of a
/// large grid may panic with a long one.
pub(crate) const MAX_PANIC_BYTES: usize = 32 << 20;

/// A text of `length` bytes, the first of which are given. A truncated text ends with the number of
/// missing bytes.
pub(crate) fn truncated_text(bytes: &[u8], length: u32) -> String {
    let max = (MAX_TEXT_BYTES as usize).min(bytes.len());
    let mut text = String::from_utf8_lossy(&bytes[..max]).into_owned();
    let more = length.saturating_sub(MAX_TEXT_BYTES);
    if more > 0 {
        text.push_str(&format!("... {more} more bytes"));
    }
    text
}
