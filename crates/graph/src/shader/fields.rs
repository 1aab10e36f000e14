//! Generates typed access functions for the fields of records.
//!
//! In: a field and the code that finds the record. Out: WGSL functions that load and store it.
//! Records lie in an array of words, so every component is a word or half of one.

use std::fmt::Write;

use super::template::Template;
use crate::model::{Field, Scalar};

/// The declared type of the arena in a node's WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arena {
    /// `array<u32>`.
    Plain,
    /// `array<atomic<u32>>`, for nodes whose invocations may share words of records.
    Atomic,
}

impl Arena {
    /// An expression that loads a word. It is inlined, because calls are expensive in interpreters.
    fn load(self, at: &str) -> String {
        match self {
            Self::Plain => format!("aw_arena[{at}]"),
            Self::Atomic => format!("atomicLoad(&aw_arena[{at}])"),
        }
    }

    /// A statement that stores a word.
    fn store(self, at: &str, value: &str) -> String {
        match self {
            Self::Plain => format!("aw_arena[{at}] = {value};"),
            Self::Atomic => format!("atomicStore(&aw_arena[{at}], {value});"),
        }
    }
}

/// How the access functions of a field find the record.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordLocation<'a> {
    /// Prefix of the field's name, as in `load_input_`.
    pub(super) owner: &'a str,
    /// Parameters that select the record.
    pub(super) parameters: &'a str,
    /// A statement that declares `aw_at`, the record's first word, or returns; with `$RETURN`.
    pub(super) find: &'a str,
    pub(super) arena: Arena,
}

/// The kind of access function to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Load,
    Store,
    Atomics,
    Uniform,
}

/// Code that reports an out-of-bounds element in checked mode.
pub(super) struct Checks<'a> {
    /// A statement, or empty.
    pub(super) element: &'a str,
}

/// The texts of a field's functions.
pub(super) fn functions(
    field: &Field,
    record: &RecordLocation<'_>,
    wanted: Function,
    checks: &Checks<'_>,
) -> String {
    let name = format!("{}_{}", record.owner, field.name);
    match wanted {
        Function::Load => load(field, record, &format!("load_{name}"), checks),
        Function::Store => store(field, record, &format!("store_{name}"), checks),
        Function::Atomics => atomics(field, record, &name),
        Function::Uniform => uniform(field, &name),
    }
}

/// The WGSL type of the field: 16-bit components are `u32`.
pub(super) fn wgsl_type(field: &Field) -> String {
    let scalar = wgsl_scalar(field.ty.scalar);
    match field.ty.components {
        1 => scalar.to_owned(),
        n => format!("vec{n}<{scalar}>"),
    }
}

fn wgsl_scalar(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::U32 | Scalar::U16 => "u32",
        Scalar::I32 => "i32",
        Scalar::F32 => "f32",
    }
}

fn parameters(field: &Field, record: &RecordLocation<'_>, last: Option<String>) -> String {
    let element = field.ty.elements.map(|_| "element: u32".to_owned());
    let selector = (!record.parameters.is_empty()).then(|| record.parameters.to_owned());
    let all: Vec<_> = selector.into_iter().chain(element).chain(last).collect();
    all.join(", ")
}

/// Code that returns if the record or element does not exist.
fn find(field: &Field, record: &RecordLocation<'_>, result: &str, checks: &Checks<'_>) -> String {
    let leave = match result {
        "" => "return;".to_owned(),
        ty => format!("return {ty}();"),
    };
    let mut text = record.find.replace("$RETURN", &leave);
    if let Some(elements) = field.ty.elements {
        let report = checks.element.replace("$FOUND", "element");
        let report = report.replace("$ALLOWED", &format!("{elements}u"));
        let _ = writeln!(text, "    if element >= {elements}u {{ {report}{leave} }}");
    }
    text
}

/// The byte offset of a component from the record's start, as a WGSL expression.
fn byte(field: &Field, component: u32) -> String {
    let offset = field.offset + component * field.ty.scalar.bytes();
    match field.ty.elements {
        None => format!("{offset}u"),
        Some(_) => format!("({offset}u + element * {}u)", field.ty.element_bytes()),
    }
}

/// The word index of a component.
fn word(field: &Field, component: u32) -> String {
    let offset = field.offset + component * field.ty.scalar.bytes();
    match field.ty.elements {
        None => format!("aw_at + {}u", offset / 4),
        Some(_) => format!("aw_at + {} / 4u", byte(field, component)),
    }
}

fn load(field: &Field, record: &RecordLocation<'_>, name: &str, checks: &Checks<'_>) -> String {
    let ty = wgsl_type(field);
    let components = (0..field.ty.components).map(|component| {
        let word = record.arena.load(&word(field, component));
        match field.ty.scalar {
            Scalar::U32 => word,
            Scalar::I32 => format!("bitcast<i32>({word})"),
            Scalar::F32 => format!("bitcast<f32>({word})"),
            Scalar::U16 => format!("aw_load_half(aw_at, {})", byte(field, component)),
        }
    });
    let components: Vec<_> = components.collect();
    let parameters = parameters(field, record, None);
    let find = find(field, record, &ty, checks);
    let value = match field.ty.components {
        1 => components.concat(),
        _ => format!("{ty}({})", components.join(", ")),
    };
    format!("fn {name}({parameters}) -> {ty} {{\n{find}    return {value};\n}}\n")
}

fn store(field: &Field, record: &RecordLocation<'_>, name: &str, checks: &Checks<'_>) -> String {
    let parameters = parameters(field, record, Some(format!("value: {}", wgsl_type(field))));
    let mut text = format!(
        "fn {name}({parameters}) {{\n{}",
        find(field, record, "", checks)
    );
    for component in 0..field.ty.components {
        let value = match field.ty.components {
            1 => "value".to_owned(),
            _ => format!("value[{component}u]"),
        };
        let at = word(field, component);
        let statement = match field.ty.scalar {
            Scalar::U32 => record.arena.store(&at, &value),
            Scalar::I32 | Scalar::F32 => record.arena.store(&at, &format!("bitcast<u32>({value})")),
            Scalar::U16 => format!("aw_store_half(aw_at, {}, {value});", byte(field, component)),
        };
        let _ = writeln!(text, "    {statement}");
    }
    text.push_str("}\n");
    text
}

/// Atomic operations on a shared record: only on whole words, and min and max only on unsigned
/// ones.
fn atomics(field: &Field, record: &RecordLocation<'_>, name: &str) -> String {
    let is_word = matches!(field.ty.scalar, Scalar::U32 | Scalar::I32);
    if !is_word || field.ty.components != 1 || field.ty.elements.is_some() {
        return String::new();
    }
    let is_signed = field.ty.scalar == Scalar::I32;
    let ty = wgsl_type(field);
    let find = record.find.replace("$RETURN", &format!("return {ty}();"));
    let at = word(field, 0);
    [
        ("add", "atomicAdd"),
        ("and", "atomicAnd"),
        ("or", "atomicOr"),
        ("xor", "atomicXor"),
        ("exchange", "atomicExchange"),
        ("min", "atomicMin"),
        ("max", "atomicMax"),
    ]
    .iter()
    // The arena's words are unsigned, so there is no signed atomic min or max.
    .filter(|(verb, _)| !is_signed || !matches!(*verb, "min" | "max"))
    .map(|(verb, function)| {
        let body = if is_signed {
            format!("bitcast<i32>({function}(&aw_arena[{at}], bitcast<u32>(value)))")
        } else {
            format!("{function}(&aw_arena[{at}], value)")
        };
        format!("fn atomic_{verb}_{name}(value: {ty}) -> {ty} {{\n{find}    return {body};\n}}\n")
    })
    .collect()
}

/// Loads a field of a workgroup's only record as a uniform value.
fn uniform(field: &Field, name: &str) -> String {
    if field.ty.elements.is_some() {
        return String::new();
    }
    let ty = wgsl_type(field);
    format!(
        "var<workgroup> aw_uniform_{name}: {ty};\n\
         fn uniform_{name}() -> {ty} {{\n    if aw_me == 0u {{ aw_uniform_{name} = load_{name}(); }}\n    \
         return workgroupUniformLoad(&aw_uniform_{name});\n}}\n"
    )
}

/// The helper functions that the generated functions call.
pub(super) fn half_words(arena: Arena) -> String {
    // Two invocations may write the halves of one word.
    Template::new(include_str!("templates/half_words.wgsl"))
        .flag("atomic", arena == Arena::Atomic)
        .render()
}
