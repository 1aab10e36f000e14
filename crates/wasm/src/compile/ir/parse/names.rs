//! Names of operations and builtins, and objects.

use super::{Parsed, brackets, named, split};
use crate::compile::ir::{Builtin, Element, ObjectData, ObjectKind, Type, Unary};
use crate::module::AtomicOp;

pub(super) fn parse_object(text: &str) -> Parsed<ObjectData> {
    let (text, name) = text.split_once('"').ok_or("no name")?;
    let text = text.trim_end();
    let (text, written) = match text.strip_suffix(" written") {
        Some(text) => (text, true),
        None => (text, false),
    };
    let (text, words) = match text.split_once(" words=") {
        Some((text, words)) => (text, Some(words.parse().map_err(|_| "no size")?)),
        None => (text, None),
    };
    let (element, kind) = text.split_once(' ').ok_or("no kind")?;
    let elements = [Element::U32, Element::F32, Element::AtomicU32];
    Ok(ObjectData {
        name: name.trim_end_matches('"').to_owned(),
        kind: object_kind(kind)?,
        element: named(&elements, element).ok_or("no element")?,
        words,
        written,
    })
}

fn object_kind(text: &str) -> Parsed<ObjectKind> {
    let numbers = |list: &str| -> Parsed<Vec<u32>> {
        let numbers = split(list).into_iter().map(str::parse);
        numbers
            .collect::<Result<_, _>>()
            .map_err(|_| "no numbers".to_owned())
    };
    if let Some(("Binding", list)) = brackets(text, ['(', ')']) {
        return match numbers(list)?[..] {
            [group, binding] => Ok(ObjectKind::Binding { group, binding }),
            _ => Err("no group and binding".to_owned()),
        };
    }
    match brackets(text, ['[', ']']) {
        Some(("Data", list)) => return Ok(ObjectKind::Data(numbers(list)?)),
        Some(("Private", list)) => return Ok(ObjectKind::Private(numbers(list)?)),
        _ => {}
    }
    Ok(match text {
        "Workgroup" => ObjectKind::Workgroup,
        "Linear" => ObjectKind::Linear,
        "State" => ObjectKind::State,
        "Input" => ObjectKind::Input,
        "Pixels" => ObjectKind::Pixels,
        _ => return Err("no such object".to_owned()),
    })
}

pub(super) const ATOMIC_OPS: &[AtomicOp] = &[
    AtomicOp::Add,
    AtomicOp::Sub,
    AtomicOp::MinS,
    AtomicOp::MinU,
    AtomicOp::MaxS,
    AtomicOp::MaxU,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Exchange,
];

pub(super) fn all_builtins() -> Vec<Builtin> {
    let mut all = vec![
        Builtin::LocalIndex,
        Builtin::ThreadId,
        Builtin::Time,
        Builtin::PictureWidth,
        Builtin::PictureHeight,
    ];
    for axis in 0..3 {
        all.extend([
            Builtin::GlobalId(axis),
            Builtin::LocalId(axis),
            Builtin::WorkgroupId(axis),
            Builtin::NumWorkgroups(axis),
            Builtin::WorkgroupSize(axis),
        ]);
    }
    all
}

pub(super) fn all_unaries() -> Vec<Unary> {
    let mut all = Unary::PLAIN.to_vec();
    for ty in [Type::I32, Type::I64, Type::F32, Type::F64] {
        all.extend([
            Unary::TruncateSaturateSigned(ty),
            Unary::TruncateSaturateUnsigned(ty),
            Unary::ConvertSigned(ty),
            Unary::ConvertUnsigned(ty),
            Unary::Reinterpret(ty),
        ]);
    }
    all
}
