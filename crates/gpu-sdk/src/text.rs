//! A fixed-size text buffer for formatting without an allocator.
//!
//! Nothing here panics, because the panic handler uses it.

use core::fmt::{self, Write};

const BYTES: usize = 512;

/// Text in a fixed-size buffer; what does not fit is truncated at a character boundary.
pub(crate) struct Text {
    bytes: [u8; BYTES],
    len: usize,
    is_cut: bool,
}

impl Default for Text {
    fn default() -> Self {
        Self {
            bytes: [0; BYTES],
            len: 0,
            is_cut: false,
        }
    }
}

impl Text {
    pub(crate) fn of(arguments: fmt::Arguments<'_>) -> Self {
        let mut text = Self::default();
        // It fails only if a value's own formatting fails; then the text so far is shown.
        let _ = text.write_fmt(arguments);
        text
    }

    pub(crate) fn push(&mut self, part: &str) {
        if self.is_cut {
            return;
        }
        let room = BYTES.saturating_sub(self.len);
        self.is_cut = part.len() > room;
        let end = boundary(part.as_bytes(), room);
        let free = self.bytes.iter_mut().skip(self.len);
        for (place, byte) in free.zip(part.as_bytes().iter().take(end)) {
            *place = *byte;
        }
        self.len = self.len.saturating_add(end);
    }

    /// Appends a number in decimal, without `core::fmt`.
    #[cfg(any(target_arch = "wasm32", test))]
    pub(crate) fn push_number(&mut self, number: u32) {
        // Iterative, because GPUs have no recursion.
        let mut power = 1_000_000_000;
        while power > number.max(1) {
            power /= 10;
        }
        while power > 0 {
            let digit = (number.checked_div(power).unwrap_or(0) % 10) as usize;
            self.push("0123456789".get(digit..=digit).unwrap_or_default());
            power /= 10;
        }
    }

    /// Address and length of the text.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn parts(&self) -> (*const u8, usize) {
        (self.bytes.as_ptr(), self.len)
    }

    pub(crate) fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.len).unwrap_or_default();
        core::str::from_utf8(bytes).unwrap_or_default()
    }
}

/// The last character boundary up to `most`, or the end of the text.
fn boundary(text: &[u8], most: usize) -> usize {
    let continues = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let mut end = most.min(text.len());
    while continues(end) {
        end = end.saturating_sub(1);
    }
    end
}

impl Write for Text {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.push(part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn text_is_cut_between_characters() {
        assert_eq!(Text::of(format_args!("a{}c", 1)).as_str(), "a1c");
        let long = "x".repeat(BYTES - 1);
        assert_eq!(Text::of(format_args!("{long}äa")).as_str(), long);
        let exact = format!("{long}y");
        assert_eq!(Text::of(format_args!("{long}{}", 'y')).as_str(), exact);

        let mut text = Text::default();
        text.push_number(0);
        text.push_number(u32::MAX);
        assert_eq!(text.as_str(), "04294967295");
    }
}
