//! Texel fetches, reads and writes, including input attachments.

use anywarp_program::naga::{
    self, BinaryOperator, Expression, ImageClass, Literal, Scalar, ScalarKind, Statement,
    TypeInner, VectorSize,
};

use super::operands::Operands;
use super::{Body, Coordinate, Expr, Image};
use crate::error::{ReadError, Result};
use crate::module::{Id, Instruction};

impl Body<'_, '_> {
    pub(super) fn read_texel(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let operands = Operands::read(instruction, 2)?;
        operands.only(instruction, &["Lod", "Offset", "Sample"])?;
        let image = self.image_of(instruction.id(0)?, false)?;
        check_sign(instruction, &image, &operands)?;
        let coordinate = self.texel_coordinate(instruction.id(1)?, &image, operands.offset)?;
        let texel = self.add_texel(&image, coordinate, &operands)?;
        self.texel_result(texel, &image, instruction.result_type()?)
    }

    fn add_texel(
        &mut self,
        image: &Image,
        coordinate: Coordinate,
        operands: &Operands,
    ) -> Result<Expr> {
        let sample = if image.class.is_multisampled() {
            Some(self.index_or_zero(operands.sample)?)
        } else {
            None
        };
        let level = if image.class.is_mipmapped() {
            Some(self.index_or_zero(operands.lod)?)
        } else {
            None
        };
        Ok(self.add(Expression::ImageLoad {
            image: image.expression,
            coordinate: coordinate.at,
            array_index: coordinate.layer,
            sample,
            level,
        }))
    }

    /// An operand as a 32-bit integer of its own signedness; 0 if it is absent.
    fn index_or_zero(&mut self, id: Option<Id>) -> Result<Expr> {
        let Some(id) = id else {
            return Ok(self.literal(Literal::I32(0)));
        };
        let ty = self.type_id(id)?;
        let (_, scalar) = self.shape(ty)?;
        let value = self.value(id)?;
        Ok(self.recast(value, scalar, Scalar { width: 4, ..scalar }))
    }

    pub(in crate::read::function) fn texel_coordinate(
        &mut self,
        id: Id,
        image: &Image,
        offset: Option<Id>,
    ) -> Result<Coordinate> {
        let mut coordinate = self.coordinate(id, image)?;
        if image.is_attachment() {
            coordinate.at = self.under_fragment(id, coordinate.at)?;
        }
        if let Some(offset) = offset {
            let ty = self.type_id(id)?;
            let (_, to) = self.shape(ty)?;
            let ty = self.type_id(offset)?;
            let (count, from) = self.shape(ty)?;
            let offset = self.value(offset)?;
            let offset = self.first(offset, count, image.dimensions())?;
            let offset = self.recast(offset, from, Scalar { width: 4, ..to });
            coordinate.at = self.two(BinaryOperator::Add, coordinate.at, offset);
        }
        Ok(coordinate)
    }

    /// The coordinate in an input attachment at an offset from the fragment.
    fn under_fragment(&mut self, id: Id, offset: Expr) -> Result<Expr> {
        let ty = self.type_id(id)?;
        let (_, scalar) = self.shape(ty)?;
        let position = naga::BuiltIn::Position { invariant: false };
        let four = TypeInner::Vector {
            size: VectorSize::Quad,
            scalar: Scalar::F32,
        };
        let variable = self
            .reader
            .builtin_variable_of(position, "frag_coord", four);
        let pointer = self.global(variable);
        let position = self.add(Expression::Load { pointer });
        let expr = self.first(position, 4, 2)?;
        let place = self.add(Expression::As {
            expr,
            kind: scalar.kind,
            convert: Some(4),
        });
        Ok(self.two(BinaryOperator::Add, place, offset))
    }

    pub(super) fn write_texel(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let operands = Operands::read(instruction, 3)?;
        operands.only(instruction, &["Offset"])?;
        let image = self.image_of(instruction.id(0)?, false)?;
        check_sign(instruction, &image, &operands)?;
        if !matches!(image.class, ImageClass::Storage { .. }) {
            return Err(instruction.invalid("it is no storage image"));
        }
        let coordinate = self.texel_coordinate(instruction.id(1)?, &image, operands.offset)?;
        let value = self.whole_texel(instruction.id(2)?, &image)?;
        self.push(Statement::ImageStore {
            image: image.expression,
            coordinate: coordinate.at,
            array_index: coordinate.layer,
            value,
        });
        Ok(())
    }

    /// The texel extended to four components. The format of the image lacks the components that are added.
    fn whole_texel(&mut self, id: Id, image: &Image) -> Result<Expr> {
        let ty = self.type_id(id)?;
        let (count, from) = self.shape(ty)?;
        let texel = self.value(id)?;
        let to = image.scalar();
        let texel = self.recast(texel, from, to);
        if count == 4 {
            return Ok(texel);
        }
        let zero = Literal::zero(to).ok_or_else(|| {
            ReadError::invalid(format!("{id} is nothing that a texel is made of"))
        })?;
        let zero = self.literal(zero);
        let mut components = vec![texel];
        components.extend((count..4).map(|_| zero));
        let ty = TypeInner::Vector {
            size: VectorSize::Quad,
            scalar: to,
        };
        let ty = self.reader.insert_type(ty);
        Ok(self.add(Expression::Compose { ty, components }))
    }
}

/// Checks the sign extension of a texel: WGSL images have one signedness, and it must be the same.
fn check_sign(instruction: &Instruction<'_>, image: &Image, operands: &Operands) -> Result<()> {
    let is_signed = match image.scalar().kind {
        ScalarKind::Sint => true,
        ScalarKind::Uint => false,
        _ => return Ok(()),
    };
    if operands.is_signed.is_none_or(|wanted| wanted == is_signed) {
        Ok(())
    } else {
        Err(instruction.unsupported("texels extended with another sign than their image has"))
    }
}
