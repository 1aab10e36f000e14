//! Translates the declarations of a graph file to calls of [`GraphBuilder`](crate::GraphBuilder).

use std::io;
use std::path::Path;

use toml::Spanned;

use super::error::FileError;
use super::locations::Locations;
use super::schema::{self, ArrayKind};
use super::sources::Sources;
use crate::model::{
    Budget, FieldType, Graph, Grid, InputAccess, Launch, Node, NodeId, NodeOverride, Output,
    RecordType, Target,
};

pub(super) fn graph<L: FnMut(&Path) -> io::Result<(String, Vec<u8>)>>(
    file: &schema::File,
    locations: &Locations<'_>,
    sources: &mut Sources<'_, L>,
) -> Result<Graph, FileError> {
    let stem = Path::new(locations.file()).file_stem();
    let stem = stem.map(|stem| stem.to_string_lossy().into_owned());
    let name = file.name.clone().or(stem).unwrap_or_default();
    let mut builder = Graph::builder(name);
    for declared in &file.record {
        builder = builder.record(record(declared, locations)?);
    }
    // The lines of node declarations, to locate a rule violation.
    let mut lines = Vec::new();
    for declared in &file.node {
        let mut node = node(declared, locations)?;
        for name in declared.source.get_ref().names() {
            let source = sources.get(name).map_err(|error| {
                locations.at(&declared.source, format!("cannot read `{name}`: {error}"))
            })?;
            node = node.source(source);
        }
        lines.push((node.id.clone(), declared.name.span()));
        builder = builder.node(node);
    }
    for declared in &file.overrides {
        let (id, change) = change(declared, locations)?;
        if let Some(renamed) = &change.id {
            lines.push((renamed.clone(), declared.node.span()));
        }
        builder = builder.override_node(id, change);
    }
    builder.build().map_err(|fault| {
        let line = lines.iter().find(|(id, _)| Some(id) == fault.node());
        match line {
            Some((_, span)) => locations.error(span.clone(), fault.to_string()),
            None => FileError::of_file(locations.file(), fault.to_string()),
        }
    })
}

/// Parses `name` or `name[index]`.
pub(super) fn node_id(
    text: &Spanned<String>,
    locations: &Locations<'_>,
) -> Result<NodeId, FileError> {
    let name = text.get_ref().as_str();
    let Some((name, index)) = name.split_once('[') else {
        return Ok(name.into());
    };
    let index = index.strip_suffix(']').and_then(|index| index.parse().ok());
    let index: u32 = index.ok_or_else(|| {
        locations.at(
            text,
            "is not a node: give a name, or `name[index]` for a member of an array",
        )
    })?;
    Ok((name, index).into())
}

fn record(record: &schema::Record, locations: &Locations<'_>) -> Result<RecordType, FileError> {
    let mut made = RecordType::new(record.name.get_ref());
    let grid = record.grid.as_ref();
    let mut found_grid = false;
    for field in &record.fields {
        let wrong = || {
            locations.at(
                field,
                "is not a field: give `name: type`, where the type is u32, i32, f32, u16, a vector such as vec3<f32>, or array<type, count>",
            )
        };
        let (name, ty) = field.get_ref().split_once(':').ok_or_else(wrong)?;
        let (name, ty) = (name.trim(), FieldType::parse(ty).ok_or_else(wrong)?);
        let is_grid = grid.is_some_and(|grid| grid.get_ref() == name);
        found_grid |= is_grid;
        made = if is_grid {
            made.grid(name, ty)
        } else {
            made.field(name, ty)
        };
    }
    match grid {
        Some(grid) if !found_grid => Err(locations.at(grid, "is not a field of the record")),
        _ => Ok(made),
    }
}

/// Parses three dimensions; missing ones are one.
fn sides(sides: &Spanned<Vec<u32>>, locations: &Locations<'_>) -> Result<[u32; 3], FileError> {
    match *sides.get_ref().as_slice() {
        [x] => Ok([x, 1, 1]),
        [x, y] => Ok([x, y, 1]),
        [x, y, z] => Ok([x, y, z]),
        _ => Err(locations.at(sides, "give one to three numbers")),
    }
}

fn node(node: &schema::Node, locations: &Locations<'_>) -> Result<Node, FileError> {
    let id = node_id(&node.name, locations)?;
    let mut made = match launch(node, locations)? {
        Launch::Thread => Node::thread(id),
        Launch::Coalescing {
            max_records,
            workgroup_size,
        } => Node::coalescing(id, max_records, workgroup_size),
        Launch::Broadcasting {
            grid,
            workgroup_size,
        } => Node::broadcasting(id, grid, workgroup_size),
    };
    made.input = node.input.clone();
    made.access = match node.access {
        schema::Access::Read => InputAccess::ReadOnly,
        schema::Access::ReadWrite => InputAccess::ReadWrite,
        schema::Access::Tracked => InputAccess::Tracked,
    };
    made.recursion = node.recursion;
    made.entry = node.entry;
    made.local_row = node.local_row;
    made.function = node.function.clone();
    let owner = node.share_input_of.as_ref();
    made.shares_input_of = owner.map(|owner| node_id(owner, locations)).transpose()?;
    for declared in &node.output {
        made = made.output(output(declared, locations)?);
    }
    Ok(made)
}

/// Each launch mode has its own keys.
fn launch(node: &schema::Node, locations: &Locations<'_>) -> Result<Launch, FileError> {
    use schema::Launch as Mode;
    let mode = node.launch.unwrap_or_default();
    let refuse =
        |span, modes| Err(locations.error(span, format!("only {modes} nodes have this key")));
    let grids = [&node.grid, &node.max_grid].into_iter().flatten();
    for grid in grids {
        if mode != Mode::Broadcasting {
            return refuse(grid.span(), "broadcasting");
        }
    }
    match &node.max_records {
        Some(max) if mode != Mode::Coalescing => return refuse(max.span(), "coalescing"),
        _ => {}
    }
    let missing = |key| locations.at(&node.name, format!("the node needs the key `{key}`"));
    let workgroup_size = match &node.workgroup_size {
        Some(size) if mode == Mode::Thread => {
            return refuse(size.span(), "broadcasting and coalescing");
        }
        Some(size) => sides(size, locations)?,
        None if mode == Mode::Thread => [1; 3],
        None => return Err(missing("workgroup_size")),
    };
    Ok(match mode {
        Mode::Thread => Launch::Thread,
        Mode::Coalescing => Launch::Coalescing {
            max_records: node
                .max_records
                .as_ref()
                .map(|max| *max.get_ref())
                .ok_or_else(|| missing("max_records"))?,
            workgroup_size,
        },
        Mode::Broadcasting => Launch::Broadcasting {
            grid: match (&node.grid, &node.max_grid) {
                (Some(_), Some(max)) => {
                    return Err(locations.at(max, "a node has a `grid` or a `max_grid`, not both"));
                }
                (Some(grid), None) => Grid::Fixed(sides(grid, locations)?),
                (None, Some(max)) => Grid::Dynamic {
                    max: sides(max, locations)?,
                },
                (None, None) => return Err(missing("grid` or `max_grid")),
            },
            workgroup_size,
        },
    })
}

fn output(output: &schema::Output, locations: &Locations<'_>) -> Result<Output, FileError> {
    let target = node_id(&output.to, locations)?;
    let array = output.array.as_ref().map(|array| *array.get_ref());
    let size = output.size.as_ref().map(|size| *size.get_ref());
    let name = target.name.clone();
    let budget = match (&output.budget, &output.share_budget) {
        (Some(budget), None) => Budget::Own(*budget.get_ref()),
        (None, Some(earlier)) => Budget::SharedWith(earlier.get_ref().clone()),
        (Some(_), Some(earlier)) => {
            let message = "an output has a `budget` or a `share_budget`, not both";
            return Err(locations.at(earlier, message));
        }
        (None, None) => {
            let message = "the output needs a `budget` or a `share_budget`";
            return Err(locations.at(&output.to, message));
        }
    };
    Ok(Output {
        name: output.name.clone().unwrap_or_else(|| name.clone()),
        target: match (array, size) {
            (None, None) => Target::Node(target),
            (Some(ArrayKind::Dense), Some(size)) => Target::Dense { name, size },
            (Some(ArrayKind::Sparse), Some(size)) => Target::Sparse { name, size },
            (Some(ArrayKind::Unbounded), None) => Target::Unbounded { name },
            _ => {
                let message = "`size` comes with `array = \"dense\"` or `array = \"sparse\"`, and only with these";
                return Err(locations.at(&output.to, message));
            }
        },
        record: output.record.clone(),
        record_declaration: None,
        budget,
    })
}

fn change(
    change: &schema::Override,
    locations: &Locations<'_>,
) -> Result<(NodeId, NodeOverride), FileError> {
    let id = node_id(&change.node, locations)?;
    let name = change.name.as_ref();
    let grid = change.grid.as_ref();
    let made = NodeOverride {
        id: name.map(|name| node_id(name, locations)).transpose()?,
        grid: grid.map(|grid| sides(grid, locations)).transpose()?,
        budgets: change.budgets.clone().into_iter().collect(),
        recursion: change.recursion,
        entry: change.entry,
        local_row: change.local_row,
    };
    Ok((id, made))
}
