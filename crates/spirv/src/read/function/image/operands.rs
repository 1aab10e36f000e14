//! Image operands: the mask and the ids that belong to its bits.

use rspirv::spirv::ImageOperands;

use crate::error::Result;
use crate::module::{Id, Instruction};

/// The optional operands of an image instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Operands {
    pub(super) bias: Option<Id>,
    pub(super) lod: Option<Id>,
    pub(super) grad: Option<(Id, Id)>,
    /// The texel offset, constant or not.
    pub(super) offset: Option<Id>,
    /// The four offsets of a gather.
    pub(super) offsets: Option<Id>,
    pub(super) sample: Option<Id>,
    /// The signedness of integer texels, if `SignExtend` or `ZeroExtend` is given.
    pub(super) is_signed: Option<bool>,
}

impl Operands {
    /// Parses the mask at this operand index and the ids after it.
    pub(super) fn read(instruction: &Instruction<'_>, at: usize) -> Result<Self> {
        let mut operands = Self::default();
        let Some(mask) = instruction.optional(at) else {
            return Ok(operands);
        };
        let mask = ImageOperands::from_bits(mask).ok_or_else(|| {
            instruction.unsupported(format!("image operands {mask:#x}, some of them unknown"))
        })?;
        let mut next = at;
        let mut id = || {
            next += 1;
            instruction.id(next)
        };
        // The ids are in the order of their bits.
        for bit in mask.iter() {
            match bit {
                ImageOperands::BIAS => operands.bias = Some(id()?),
                ImageOperands::LOD => operands.lod = Some(id()?),
                ImageOperands::GRAD => operands.grad = Some((id()?, id()?)),
                ImageOperands::CONST_OFFSET | ImageOperands::OFFSET => {
                    operands.offset = Some(id()?);
                }
                ImageOperands::CONST_OFFSETS | ImageOperands::OFFSETS => {
                    operands.offsets = Some(id()?);
                }
                ImageOperands::SAMPLE => operands.sample = Some(id()?),
                ImageOperands::MIN_LOD => {
                    return Err(instruction.unsupported("a least level of detail (MinLod)"));
                }
                // Texel availability and visibility. WGSL has barriers for this, which SPIR-V modules use as well.
                ImageOperands::MAKE_TEXEL_AVAILABLE | ImageOperands::MAKE_TEXEL_VISIBLE => {
                    id()?;
                }
                ImageOperands::NON_PRIVATE_TEXEL
                | ImageOperands::VOLATILE_TEXEL
                | ImageOperands::NONTEMPORAL => {}
                ImageOperands::SIGN_EXTEND => operands.is_signed = Some(true),
                ImageOperands::ZERO_EXTEND => operands.is_signed = Some(false),
                _ => return Err(instruction.unsupported(format!("image operand {bit:?}"))),
            }
        }
        Ok(operands)
    }

    /// Checks that only operands with these names are present.
    pub(super) fn only(&self, instruction: &Instruction<'_>, allowed: &[&str]) -> Result<()> {
        let present = [
            ("Bias", self.bias.is_some()),
            ("Lod", self.lod.is_some()),
            ("Grad", self.grad.is_some()),
            ("Offset", self.offset.is_some()),
            ("ConstOffsets", self.offsets.is_some()),
            ("Sample", self.sample.is_some()),
        ];
        for (name, is_present) in present {
            if is_present && !allowed.contains(&name) {
                return Err(instruction.unsupported(format!("image operand {name} here")));
            }
        }
        Ok(())
    }
}
