//! Inputs and local arguments, as declared in a graph file.

use std::collections::{HashMap, HashSet};

use super::declarations::node_id;
use super::error::FileError;
use super::locations::Locations;
use super::options::ByteBudget;
use super::schema::RecordValues;
use super::{schema, toml_values};
use crate::host_data::{CpuRecords, LocalArguments};
use crate::model::{Graph, NodeId, NodeIndex, RecordType};

/// The records of a graph file for one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileInput {
    /// The entry node.
    pub node: NodeId,
    /// The number of records.
    pub count: u32,
    /// The records, contiguous; a single one if it is repeated; none if they are empty.
    pub bytes: Vec<u8>,
    /// Whether one record is used for all.
    pub repeated: bool,
}

impl FileInput {
    /// The input in the form that a runner accepts.
    pub fn cpu_records(&self) -> CpuRecords<'_> {
        CpuRecords {
            stride: self.repeated.then_some(0),
            ..CpuRecords::new(self.node.clone(), self.count, &self.bytes)
        }
    }
}

pub(super) fn inputs(
    file: &schema::File,
    graph: &Graph,
    byte_budget: &ByteBudget,
    locations: &Locations<'_>,
) -> Result<Vec<FileInput>, FileError> {
    let names = graph.nodes().iter().enumerate();
    let cx = Context {
        graph,
        nodes: names.map(|(index, node)| (&node.id, index)).collect(),
        byte_budget,
        locations,
    };
    file.input
        .iter()
        .map(|declared| input(declared, &cx))
        .collect()
}

/// What input declarations are checked against.
struct Context<'a> {
    graph: &'a Graph,
    nodes: HashMap<&'a NodeId, NodeIndex>,
    byte_budget: &'a ByteBudget,
    locations: &'a Locations<'a>,
}

fn input(input: &schema::Input, cx: &Context<'_>) -> Result<FileInput, FileError> {
    let (graph, locations) = (cx.graph, cx.locations);
    let fail = |message: &str| locations.at(&input.node, message);
    let node = node_id(&input.node, locations)?;
    let found = cx.nodes.get(&node).copied();
    let found = found.ok_or_else(|| fail("there is no such node"))?;
    if !graph.nodes()[found].entry {
        return Err(fail("the node is not an entry"));
    }
    let wanted = input.count.as_ref().map(|count| *count.get_ref());
    let Some(record) = graph.input_record(found) else {
        return match (wanted, &input.records) {
            (Some(count), None) => Ok(FileInput {
                node,
                count,
                bytes: Vec::new(),
                repeated: false,
            }),
            _ => Err(fail("the node has empty records: give only their `count`")),
        };
    };
    let Some(records) = &input.records else {
        return Err(fail("the input needs `records`"));
    };
    let mut bytes = Vec::new();
    let fields: HashSet<&str> = record
        .fields()
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    for values in records {
        let taken = cx.byte_budget.take(record.bytes().into());
        taken.map_err(|over| locations.at(values, over))?;
        bytes.extend(encode(values, record, &fields, locations)?);
    }
    let given = u32::try_from(records.len()).map_err(|_| fail("there are too many records"))?;
    let count = wanted.unwrap_or(given);
    match (&input.count, given) {
        (Some(count), given) if given != 1 && *count.get_ref() != given => {
            let message = format!(
                "does not match the {given} `records`: only a single record can be repeated"
            );
            Err(locations.at(count, message))
        }
        _ => Ok(FileInput {
            node,
            count,
            bytes,
            repeated: given == 1 && count != 1,
        }),
    }
}

fn encode(
    values: &RecordValues,
    record: &RecordType,
    fields: &HashSet<&str>,
    locations: &Locations<'_>,
) -> Result<Vec<u8>, FileError> {
    let mut bytes = vec![0; record.bytes() as usize];
    for (name, value) in values.get_ref() {
        if !fields.contains(name.as_str()) {
            let message = format!("the record `{}` has no field `{name}`", record.name());
            return Err(locations.at(value, message));
        }
    }
    for field in record.fields() {
        let Some(value) = values.get_ref().get(&field.name) else {
            let message = format!("the field `{}` is missing", field.name);
            return Err(locations.at(values, message));
        };
        toml_values::write_field(&mut bytes, field, value.get_ref())
            .map_err(|error| locations.at(value, format!("{error} (the field is {})", field.ty)))?;
    }
    Ok(bytes)
}

/// Rows of constants; shorter ones are padded with zeros.
pub(super) fn local_arguments(
    file: &schema::File,
    byte_budget: &ByteBudget,
    locations: &Locations<'_>,
) -> Result<LocalArguments, FileError> {
    let rows = &file.local_arguments;
    let longest = rows.iter().max_by_key(|row| row.len());
    let width = longest.map_or(0, Vec::len);
    // Every row has the length of the longest.
    let taken = byte_budget.take((4 * width as u64).saturating_mul(rows.len() as u64));
    if let (Some(value), Err(over)) = (longest.and_then(|row| row.first()), taken) {
        return Err(locations.at(value, over));
    }
    let mut bytes = Vec::new();
    for row in rows {
        for value in row {
            let word = toml_values::word(value.get_ref());
            let word = word.map_err(|error| locations.at(value, error))?;
            bytes.extend(word.to_le_bytes());
        }
        bytes.resize(bytes.len() + 4 * (width - row.len()), 0);
    }
    Ok(LocalArguments {
        bytes,
        stride: 4 * width as u32,
    })
}
