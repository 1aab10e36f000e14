//! Typed records for an entry.
//!
//! In: a node and records of a Rust type. Out: [`CpuRecords`], once the type is found to be the one
//! that the node takes; otherwise an error that names the field.

use super::input_error::InputError;
use crate::host_data::CpuRecords;
use crate::model::{Graph, NodeId, RecordType};
use crate::record::Record;

/// Records from the host for one entry of a graph.
///
/// A tuple of a node and a slice of records converts to it:
///
/// ```
/// # use anywarp_graph::Record;
/// use anywarp_graph::device::EntryRecords;
/// # #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable, Record)]
/// # #[repr(C)]
/// # struct Number { value: u32 }
/// let numbers = [Number { value: 12 }, Number { value: 7 }];
/// let _ = EntryRecords::from(("halve", &numbers));
/// // Entries with records of different types are listed with `new`.
/// let _ = [EntryRecords::new("halve", &numbers), EntryRecords::empty("tick", 3)];
/// ```
#[derive(Clone, Debug)]
pub struct EntryRecords<'a> {
    records: CpuRecords<'a>,
    /// `None` if the records are empty.
    ty: Option<RecordType>,
}

impl<'a> EntryRecords<'a> {
    /// One record after another.
    pub fn new<R: Record>(node: impl Into<NodeId>, records: &'a [R]) -> Self {
        // More records than a count holds are reported as too few bytes.
        let count = u32::try_from(records.len()).unwrap_or(u32::MAX);
        Self {
            records: CpuRecords::new(node, count, bytemuck::cast_slice(records)),
            ty: Some(RecordType::of::<R>()),
        }
    }

    /// One record, a number of times.
    pub fn repeated<R: Record>(node: impl Into<NodeId>, record: &'a R, count: u32) -> Self {
        let records = CpuRecords::new(node, count, bytemuck::bytes_of(record));
        Self {
            records: CpuRecords {
                stride: Some(0),
                ..records
            },
            ty: Some(RecordType::of::<R>()),
        }
    }

    /// A number of empty records.
    pub fn empty(node: impl Into<NodeId>, count: u32) -> Self {
        Self {
            records: CpuRecords::new(node, count, &[]),
            ty: None,
        }
    }

    /// The records as bytes, if the node takes records of this type.
    pub(super) fn check(self, graph: &Graph) -> Result<CpuRecords<'a>, InputError> {
        let node = &self.records.node;
        // The runner reports a node that does not exist.
        if let Some(index) = graph.node(node) {
            check_type(node, graph.input_record(index), self.ty.as_ref())?;
        }
        Ok(self.records)
    }
}

/// Checks that records of a type can be those of a node.
pub(super) fn check_type(
    node: &NodeId,
    expected: Option<&RecordType>,
    found: Option<&RecordType>,
) -> Result<(), InputError> {
    let node = node.clone();
    match (expected, found) {
        (None, None) => Ok(()),
        (None, Some(found)) => Err(InputError::EmptyRecordsExpected {
            node,
            found: found.name().to_owned(),
        }),
        (Some(expected), None) => Err(InputError::RecordsExpected {
            node,
            expected: expected.name().to_owned(),
        }),
        (Some(expected), Some(found)) => match expected.difference(found) {
            None => Ok(()),
            Some(difference) => Err(InputError::RecordMismatch {
                node,
                expected: expected.name().to_owned(),
                found: found.name().to_owned(),
                difference: Box::new(difference),
            }),
        },
    }
}

impl<'a, N: Into<NodeId>, R: Record> From<(N, &'a [R])> for EntryRecords<'a> {
    fn from((node, records): (N, &'a [R])) -> Self {
        Self::new(node, records)
    }
}

impl<'a, N: Into<NodeId>, R: Record> From<(N, &'a Vec<R>)> for EntryRecords<'a> {
    fn from((node, records): (N, &'a Vec<R>)) -> Self {
        Self::new(node, records)
    }
}

impl<'a, N: Into<NodeId>, R: Record, const COUNT: usize> From<(N, &'a [R; COUNT])>
    for EntryRecords<'a>
{
    fn from((node, records): (N, &'a [R; COUNT])) -> Self {
        Self::new(node, records)
    }
}
