//! What kernels say: prints and panics, as both machines show them.

/// Bytes of one text that are shown.
pub(crate) const MOST_TEXT: u32 = 1 << 16;

/// Bytes that the messages of all panics of a launch may have. Later ones are left out: every thread of a large grid may
/// panic with a long message.
pub(crate) const PANIC_ROOM: usize = 32 << 20;

/// A text of so many bytes, of which the first are given. What is not shown is counted.
pub(crate) fn shown(bytes: &[u8], length: u32) -> String {
    let most = (MOST_TEXT as usize).min(bytes.len());
    let mut text = String::from_utf8_lossy(&bytes[..most]).into_owned();
    let more = length.saturating_sub(MOST_TEXT);
    if more > 0 {
        text.push_str(&format!("... {more} more bytes"));
    }
    text
}
