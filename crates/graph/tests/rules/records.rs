//! Rules about records.

use anywarp_graph::model::{FieldType, Scalar};
use anywarp_graph::{Node, RecordType};

use crate::rules::{Case, case, empty};

pub(crate) fn cases() -> Vec<Case> {
    let with = |record: RecordType| empty().record(record);
    let record = |name: &str| RecordType::new(name).field("a", FieldType::U32);
    vec![
        case(
            "Name",
            with(record("two__scores")),
            "record `two__scores`: `two__scores` is not a valid name: use letters, digits and single underscores, a letter first, at most 255 characters",
        ),
        case(
            "Name",
            with(RecordType::new("R").field("1st", FieldType::U32)),
            "record `R`: `1st` is not a valid name: use letters, digits and single underscores, a letter first, at most 255 characters",
        ),
        case(
            "Name",
            with(record("")),
            "record ``: `` is not a valid name: use letters, digits and single underscores, a letter first, at most 255 characters",
        ),
        case(
            "RecordWithoutFields",
            with(RecordType::new("R")),
            "record `R`: has no fields; omit the record type for inputs that are only counted",
        ),
        case(
            "RecordTooLarge",
            with(RecordType::new("R").field("a", FieldType::U32.array((1 << 28) + 1))),
            "record `R`: is larger than 1073741824 bytes, the maximum size of a record",
        ),
        case(
            "RecordTooLarge",
            with(RecordType::new("R").field("a", FieldType::of(Scalar::U32, 4).array(u32::MAX))),
            "record `R`: is larger than 1073741824 bytes, the maximum size of a record",
        ),
        case(
            "RecordTooLarge",
            with(RecordType::new("R").field("a", FieldType::U16.array(u32::MAX / 2))),
            "record `R`: is larger than 1073741824 bytes, the maximum size of a record",
        ),
        case(
            "TooManyFields",
            with((0..1025).fold(RecordType::new("R"), |record, index| {
                record.field(format!("f{index}"), FieldType::U32)
            })),
            "record `R`: has 1025 fields; at most 1024 are allowed",
        ),
        case(
            "RecordConflict",
            with(record("R")).node(Node {
                input_declaration: Some(RecordType::new("R").field("a", FieldType::F32)),
                ..Node::thread("typed").entry().input_type("R")
            }),
            "record `R`: is declared differently by another node: field `a`: expected u32, found f32",
        ),
        case(
            "DuplicateField",
            with(record("R").field("a", FieldType::F32)),
            "record `R`: field `a` is declared twice",
        ),
        case(
            "FieldType",
            with(RecordType::new("R").field("a", FieldType::of(Scalar::F32, 5))),
            "record `R`: field `a` must have one to four components and, as an array, at least one element",
        ),
        case(
            "FieldType",
            with(RecordType::new("R").field("a", FieldType::of(Scalar::U32, u32::MAX))),
            "record `R`: field `a` must have one to four components and, as an array, at least one element",
        ),
        case(
            "FieldType",
            with(RecordType::new("R").field("a", FieldType::U32.array(0))),
            "record `R`: field `a` must have one to four components and, as an array, at least one element",
        ),
        case(
            "GridFieldType",
            with(RecordType::new("R").grid("g", FieldType::F32)),
            "record `R`: field `g` cannot be a grid: a grid has one to three components of u32 or u16 and is not an array",
        ),
        case(
            "GridFieldType",
            with(RecordType::new("R").grid("g", FieldType::of(Scalar::U16, 4))),
            "record `R`: field `g` cannot be a grid: a grid has one to three components of u32 or u16 and is not an array",
        ),
        case(
            "MultipleGridFields",
            with(
                RecordType::new("R")
                    .grid("g", FieldType::U32)
                    .grid("h", FieldType::U32),
            ),
            "record `R`: has two grid fields, `g` and `h`",
        ),
        case(
            "DuplicateRecord",
            with(record("R")).record(record("R")),
            "record `R`: is declared twice",
        ),
    ]
}
