//! Data that the host gives to a run: records for entries, and the local arguments of nodes.
//!
//! Devices and the oracle take the same data.

use crate::model::NodeId;

/// Records from the host for one entry.
#[derive(Clone, Debug)]
pub struct CpuRecords<'a> {
    /// The entry node.
    pub node: NodeId,
    /// The number of records.
    pub count: u32,
    /// The records, packed like C structures; unused if records are empty.
    pub bytes: &'a [u8],
    /// The stride in bytes: `None` if the records are contiguous, zero if a single record is used
    /// for all.
    pub stride: Option<u32>,
}

impl<'a> CpuRecords<'a> {
    /// Contiguous records.
    pub fn new(node: impl Into<NodeId>, count: u32, bytes: &'a [u8]) -> Self {
        Self {
            node: node.into(),
            count,
            bytes,
            stride: None,
        }
    }
}

/// Local arguments: constants of each node, in rows.
#[derive(Clone, Debug, Default)]
pub struct LocalArguments {
    /// The table. Node code reads it word by word.
    pub bytes: Vec<u8>,
    /// The stride of rows in bytes, a multiple of four. Zero gives every node the whole table.
    pub stride: u32,
}
