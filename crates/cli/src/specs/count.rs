//! Counts and sizes: `64`, `4k` (4096), `1M` (1048576), `2G`.

use super::SpecError;

/// A number with an optional suffix for 1024 or its square or cube. A product beyond 64 bits is an error.
pub(crate) fn count(text: &str) -> Result<u64, SpecError> {
    let (digits, factor) = match text.char_indices().next_back() {
        Some((end, 'k' | 'K')) => (&text[..end], 1 << 10),
        Some((end, 'M')) => (&text[..end], 1 << 20),
        Some((end, 'G')) => (&text[..end], 1 << 30),
        _ => (text, 1),
    };
    // Rust's parser also accepts a sign.
    let is_plain = digits.bytes().all(|digit| digit.is_ascii_digit());
    let number = digits.parse().ok().filter(|_| is_plain);
    number
        .and_then(|number: u64| number.checked_mul(factor))
        .ok_or_else(|| SpecError::Count(text.to_owned()))
}

/// The same for 32-bit numbers.
pub(crate) fn count_u32(text: &str) -> Result<u32, SpecError> {
    u32::try_from(count(text)?).map_err(|_| SpecError::Count(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_powers_of_1024() {
        for (text, expected) in [
            ("0", Some(0)),
            ("4k", Some(4096)),
            ("4K", Some(4096)),
            ("1M", Some(1 << 20)),
            ("3G", Some(3 << 30)),
            ("18446744073709551615", Some(u64::MAX)),
            ("17179869183G", Some(17_179_869_183 << 30)),
            ("17179869184G", None),
            ("18446744073709551616", None),
            ("+1", None),
            ("-1", None),
            ("k", None),
            ("1kk", None),
            ("1m", None),
            ("", None),
            ("4é", None),
        ] {
            assert_eq!(count(text).ok(), expected, "{text}");
        }
        assert_eq!(count_u32("4G").ok(), None);
    }
}
