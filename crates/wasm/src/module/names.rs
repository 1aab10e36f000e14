//! The name section: names of functions and globals.
//!
//! Names are for messages only, so errors are ignored: a malformed section yields the names before
//! the error.

use std::collections::HashMap;
use std::fmt::{self, Write};

use wasmparser::{BinaryReader, CustomSectionReader, Name, NameMap, NameSectionReader};

/// Names by index.
#[derive(Default)]
pub(crate) struct Names {
    /// Of functions, including imported ones.
    pub functions: HashMap<u32, String>,
    /// Of globals, including imported ones.
    pub globals: HashMap<u32, String>,
}

impl Names {
    /// Reads a custom section, if it is the name section.
    pub(super) fn read(&mut self, section: &CustomSectionReader<'_>) {
        if section.name() != "name" {
            return;
        }
        let offset = section.data_offset();
        for name in NameSectionReader::new(BinaryReader::new(section.data(), offset)) {
            match name {
                Ok(Name::Function(names)) => collect(names, &mut self.functions),
                Ok(Name::Global(names)) => collect(names, &mut self.globals),
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }
}

fn collect(from: NameMap<'_>, into: &mut HashMap<u32, String>) {
    for naming in from {
        let Ok(naming) = naming else { return };
        // Demangles Rust names; `{:#}` leaves the hash out.
        let name = shortened(format_args!("{:#}", rustc_demangle::demangle(naming.name)));
        into.insert(naming.index, name);
    }
}

/// Bytes of a name that are kept. Warnings and traps repeat names, so a long one would be copied
/// for every call and every thread.
const MAX_NAME_BYTES: usize = 512;

/// A writer that keeps the beginning of a name.
struct TruncatedName(String);

impl Write for TruncatedName {
    /// Fails once the name is too long, which stops the formatting: a mangled name of a hundred
    /// bytes can demangle to a megabyte.
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = MAX_NAME_BYTES - self.0.len();
        self.0.push_str(&text[..text.floor_char_boundary(room)]);
        if text.len() > room {
            return Err(fmt::Error);
        }
        Ok(())
    }
}

/// A name, truncated with two dots if it is too long.
pub(super) fn shortened(name: fmt::Arguments<'_>) -> String {
    let mut name_writer = TruncatedName(String::new());
    if name_writer.write_fmt(name).is_err() {
        name_writer.0.push_str("..");
    }
    name_writer.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut_at_a_character() {
        let name = |count| "ä".repeat(count);
        assert_eq!(shortened(format_args!("{}", name(256))), name(256));
        let long = format!("x{}", name(256));
        let cut = shortened(format_args!("{long}"));
        assert_eq!(cut, format!("x{}..", name(255)));
    }

    /// A type that refers to itself twice, thirty times over.
    #[test]
    fn a_mangled_name_that_doubles_is_not_written_out() {
        let mut mangled = "_RIC1a".to_owned();
        let mut last = mangled.len();
        mangled.push('m');
        for _ in 0..30 {
            let back = format!("B{}_", base_62(last - 2));
            last = mangled.len();
            mangled.push_str(&format!("T{back}{back}E"));
        }
        mangled.push('E');
        let name = shortened(format_args!("{:#}", rustc_demangle::demangle(&mangled)));
        assert!(name.len() <= MAX_NAME_BYTES + 2, "{} bytes", name.len());
        assert!(name.starts_with("a::<u32, (u32, u32)"), "{name}");
    }

    /// A number as v0 mangling writes it in front of `_`.
    fn base_62(number: usize) -> String {
        const DIGITS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let Some(mut left) = number.checked_sub(1) else {
            return String::new();
        };
        let mut digits = Vec::new();
        loop {
            digits.push(char::from(DIGITS[left % 62]));
            left /= 62;
            if left == 0 {
                return digits.iter().rev().collect();
            }
        }
    }
}
