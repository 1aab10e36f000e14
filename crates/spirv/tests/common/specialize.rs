//! Sets specialization constants in SPIR-V words, as drivers do.

use rspirv::spirv::{Decoration, Op};

/// Sets the value of the constant with this `SpecId`. Modules without one are not changed.
pub(crate) fn set(words: &mut [u32], spec_id: u32, bits: u32) {
    let mut target = None;
    let mut at = 5;
    while at < words.len() {
        let (length, op) = ((words[at] >> 16) as usize, words[at] & 0xffff);
        let is_bool = [Op::SpecConstantTrue as u32, Op::SpecConstantFalse as u32].contains(&op);
        if op == Op::Decorate as u32
            && words[at + 2] == Decoration::SpecId as u32
            && words[at + 3] == spec_id
        {
            target = Some(words[at + 1]);
        } else if is_bool && Some(words[at + 2]) == target {
            let op = match bits {
                0 => Op::SpecConstantFalse,
                _ => Op::SpecConstantTrue,
            };
            words[at] = (words[at] & 0xffff_0000) | op as u32;
        } else if op == Op::SpecConstant as u32 && Some(words[at + 2]) == target {
            words[at + 3] = bits;
        }
        at += length;
    }
}
