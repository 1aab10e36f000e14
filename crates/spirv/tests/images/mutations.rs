//! Mutation fuzzing of the image cases: a changed module gives an error or a valid program, never a panic.

use anywarp_spirv::{ReadOptions, read};

use crate::images::cases;
use crate::images::tools::Tools;

/// Number of mutations per case, besides truncation.
const CHANGES: usize = 400;

#[test]
fn changed_words_never_panic() {
    let Some(tools) = Tools::find() else {
        return;
    };
    let mut seed = 0x9e37_79b9_u32;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        seed as usize
    };
    let (mut refused, mut accepted) = (0, 0);
    for case in cases() {
        let bytes = tools.spirv(&case);
        let words = bytes.len() / 4;
        for _ in 0..CHANGES {
            let mut changed = bytes.clone();
            let at = 4 * (5 + random() % (words - 5));
            let from = 4 * (5 + random() % (words - 5));
            match random() % 4 {
                // Copies another word of the module: an id, an operand or an opcode.
                0 | 1 => changed.copy_within(from..from + 4, at),
                2 => changed[at] = changed[at].wrapping_add(1),
                _ => changed[at] ^= 1 << (random() % 8),
            }
            match read(&changed, &ReadOptions::default()) {
                Ok(_) => accepted += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(
        refused > accepted / 10,
        "{refused} refused, {accepted} accepted"
    );
}
