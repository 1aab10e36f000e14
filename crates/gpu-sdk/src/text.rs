//! Formatted text without an allocator.

use core::fmt::{self, Write};

const BYTES: usize = 512;

/// Text in a buffer of fixed size; what does not fit is cut off between characters.
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
        // It fails only if a value's own formatting does: then what is there is shown.
        let _ = text.write_fmt(arguments);
        text
    }

    pub(crate) fn push(&mut self, part: &str) {
        if self.is_cut {
            return;
        }
        let room = BYTES - self.len;
        self.is_cut = part.len() > room;
        let part = &part.as_bytes()[..part.floor_char_boundary(room)];
        self.bytes[self.len..self.len + part.len()].copy_from_slice(part);
        self.len += part.len();
    }

    /// Adds a number in decimal, without `core::fmt`.
    #[cfg(any(target_arch = "wasm32", test))]
    pub(crate) fn push_number(&mut self, number: u32) {
        // Not by recursion, which GPUs do not have.
        let mut power = 1_000_000_000;
        while power > number.max(1) {
            power /= 10;
        }
        while power > 0 {
            let digit = (number / power % 10) as usize;
            self.push(&"0123456789"[digit..=digit]);
            power /= 10;
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
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
