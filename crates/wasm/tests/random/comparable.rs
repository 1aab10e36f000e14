//! Filters out modules that wasmi mistranslates.
//!
//! wasmi 2.0.0 passes wrong values through a `br_table` with two values or more: a function whose only `i64` operands
//! are a count of zeros and 4096 returns the result of an earlier `memory.grow`. Such modules are not compared.

use wasmparser::{BlockType, Operator, Parser, Payload, TypeRef};

/// Whether no `br_table` of a valid module passes more than one value.
pub(crate) fn is_comparable(wasm: &[u8]) -> bool {
    let (mut types, mut functions, mut next) = (Vec::new(), Vec::new(), 0);
    for payload in Parser::new(0).parse_all(wasm) {
        match payload.expect("a valid module") {
            Payload::TypeSection(section) => {
                for ty in section.into_iter_err_on_gc_types() {
                    let ty = ty.expect("a function type");
                    types.push((ty.params().len(), ty.results().len()));
                }
            }
            Payload::ImportSection(section) => {
                let imports = section
                    .into_imports()
                    .map(|import| import.expect("an import"));
                next += imports
                    .filter(|import| matches!(import.ty, TypeRef::Func(_)))
                    .count();
            }
            Payload::FunctionSection(section) => {
                functions = section
                    .into_iter()
                    .map(|index| index.expect("an index"))
                    .collect();
            }
            Payload::CodeSectionEntry(body) => {
                let (_, results) = types[functions[next] as usize];
                next += 1;
                let operators = body
                    .get_operators_reader()
                    .expect("a valid body")
                    .into_iter()
                    .map(|operator| operator.expect("an operator"));
                if most_values(operators, results, &types) > 1 {
                    return false;
                }
            }
            _ => {}
        }
    }
    true
}

/// The maximum number of values that a `br_table` of a function passes. Types are given by their
/// numbers of parameters and results.
fn most_values<'a>(
    operators: impl Iterator<Item = Operator<'a>>,
    results: usize,
    types: &[(usize, usize)],
) -> usize {
    let (mut labels, mut most) = (vec![results], 0);
    for operator in operators {
        match operator {
            Operator::Block { blockty } | Operator::If { blockty } => labels.push(match blockty {
                BlockType::Empty => 0,
                BlockType::Type(_) => 1,
                BlockType::FuncType(index) => types[index as usize].1,
            }),
            Operator::Loop { blockty } => labels.push(match blockty {
                BlockType::FuncType(index) => types[index as usize].0,
                _ => 0,
            }),
            Operator::End => drop(labels.pop()),
            Operator::BrTable { targets } => {
                let depth = targets.default() as usize;
                most = most.max(labels[labels.len() - 1 - depth]);
            }
            _ => {}
        }
    }
    most
}
