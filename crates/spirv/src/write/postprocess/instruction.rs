//! Encoding and decoding of SPIR-V instructions.

use rspirv::spirv::Op;

/// Number of header words before the first instruction.
pub(super) const HEADER: usize = 5;

/// The instructions of a module: position, opcode and operands. Stops at a truncated instruction.
pub(in crate::write) fn instructions(words: &[u32]) -> impl Iterator<Item = (usize, u32, &[u32])> {
    let mut place = HEADER;
    std::iter::from_fn(move || {
        let (number, operands) = instruction(words, place)?;
        let start = place;
        place += operands.len() + 1;
        Some((start, number, operands))
    })
}

/// Opcode and operands of the instruction at a position.
pub(super) fn instruction(words: &[u32], place: usize) -> Option<(u32, &[u32])> {
    let rest = words.get(place..)?;
    let first = *rest.first()?;
    let operands = rest.get(1..(first >> 16).max(1) as usize)?;
    Some((first & 0xffff, operands))
}

/// Appends an instruction.
pub(in crate::write) fn push(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    push_number(words, op as u32, operands);
}

/// Appends an instruction with a numeric opcode.
pub(super) fn push_number(words: &mut Vec<u32>, op: u32, operands: &[u32]) {
    words.push(((operands.len() as u32 + 1) << 16) | op);
    words.extend_from_slice(operands);
}

/// Encodes a string operand.
pub(in crate::write) fn string(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((text.len() / 4 + 1) * 4, 0);
    bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|chunk| u32::from_le_bytes(*chunk))
        .collect()
}

/// Number of words of the string at the start of `operands`.
pub(super) fn string_length(operands: &[u32]) -> usize {
    let last = operands
        .iter()
        .position(|word| word.to_le_bytes().contains(&0));
    last.map_or(operands.len(), |last| last + 1)
}

/// Decodes the string at the start of `operands`.
pub(super) fn text(operands: &[u32]) -> String {
    let words = &operands[..string_length(operands)];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let end = bytes
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_come_back() {
        for sample in ["", "a", "abc", "abcd", "abcdefgh\u{e9}"] {
            let words = string(sample);
            assert_eq!(text(&words), sample);
            assert_eq!(string_length(&words), words.len());
        }
    }

    #[test]
    fn instructions_end_where_words_are_missing() {
        let mut words = vec![0; HEADER];
        push(&mut words, Op::Nop, &[]);
        push(&mut words, Op::Capability, &[1]);
        let whole: Vec<_> = instructions(&words).collect();
        assert_eq!(whole, [(5, 0, &[][..]), (6, 17, &[1][..])]);
        assert_eq!(instructions(&words[..words.len() - 1]).count(), 1);
    }
}
