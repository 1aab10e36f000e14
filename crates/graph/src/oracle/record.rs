//! Records of the oracle.
//!
//! Components are read and written as the bits of a `u32`; 16-bit components are truncated.

use std::sync::Arc;

use super::fault::OracleFault;
use crate::layout::DeviceRule;
use crate::model::{Field, RecordType, Scalar};

/// A record: its type, unless it is empty, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleRecord {
    ty: Option<Arc<RecordType>>,
    bytes: Vec<u8>,
}

impl OracleRecord {
    /// A zero-initialized record.
    pub(super) fn new(ty: Option<Arc<RecordType>>) -> Self {
        let bytes = ty.as_ref().map_or(0, |ty| ty.bytes());
        let bytes = vec![0; bytes as usize];
        Self { ty, bytes }
    }

    /// The bytes, in the device's layout.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn ty(&self) -> Option<&RecordType> {
        self.ty.as_deref()
    }

    pub(super) fn fill(&mut self, bytes: &[u8]) {
        self.bytes.copy_from_slice(bytes);
    }

    /// Reads the bits of a component of a field.
    pub fn get(&self, field: &str, element: u32, component: u32) -> Result<u32, OracleFault> {
        let (at, size) = self.place(field, element, component)?;
        let mut word = [0; 4];
        word[..size].copy_from_slice(&self.bytes[at..at + size]);
        Ok(u32::from_le_bytes(word))
    }

    /// Writes a component of a field.
    pub fn set(
        &mut self,
        field: &str,
        element: u32,
        component: u32,
        bits: u32,
    ) -> Result<(), OracleFault> {
        let (at, size) = self.place(field, element, component)?;
        self.bytes[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
        Ok(())
    }

    /// Byte offset and size of a component.
    fn place(
        &self,
        name: &str,
        element: u32,
        component: u32,
    ) -> Result<(usize, usize), OracleFault> {
        let fault =
            |found, allowed| OracleFault::of(DeviceRule::Element, found, allowed).named(name);
        let mut fields = self.ty.iter().flat_map(|ty| ty.fields());
        let field: &Field = fields
            .find(|field| field.name == name)
            .ok_or_else(|| fault(0, 0))?;
        let elements = field.ty.elements.unwrap_or(1);
        if element >= elements {
            return Err(fault(element, elements));
        }
        if component >= field.ty.components {
            return Err(fault(component, field.ty.components));
        }
        let size = match field.ty.scalar {
            Scalar::U16 => 2,
            Scalar::U32 | Scalar::I32 | Scalar::F32 => 4,
        };
        let at = field.offset + element * field.ty.element_bytes() + component * size;
        Ok((at as usize, size as usize))
    }
}
