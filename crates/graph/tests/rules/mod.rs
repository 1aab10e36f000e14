//! Every rule of graphs as a test case that violates it, with the message that users see, and every
//! limit met exactly.

mod device;
mod empty;
mod limits;
mod nodes;
mod outputs;
mod overrides;
mod plan;
mod records;
mod running;
mod shader;
mod shapes;
mod sharing;

use std::collections::BTreeSet;

use anywarp_graph::{Graph, GraphBuilder};

/// A graph that violates one rule.
pub(crate) struct Case {
    /// The variant of `Rule`.
    rule: &'static str,
    graph: GraphBuilder,
    message: &'static str,
}

pub(crate) fn case(rule: &'static str, graph: GraphBuilder, message: &'static str) -> Case {
    Case {
        rule,
        graph,
        message,
    }
}

pub(crate) fn empty() -> GraphBuilder {
    Graph::builder("g")
}

fn all() -> Vec<Case> {
    let tables = [
        records::cases(),
        nodes::cases(),
        outputs::cases(),
        sharing::cases(),
        shapes::cases(),
        overrides::cases(),
    ];
    tables.into_iter().flatten().collect()
}

#[test]
fn each_rule_has_its_message() {
    for case in all() {
        let fault = case.graph.build().expect_err(case.message);
        assert_eq!(fault.to_string(), case.message);
        assert_eq!(variant(&format!("{:?}", fault.rule())), case.rule);
    }
}

/// The debug text begins with the name of the variant.
fn variant(debug: &str) -> &str {
    debug.split(['(', ' ']).next().unwrap_or_default()
}

#[test]
fn no_rule_is_without_a_case() {
    let text = include_str!("../../src/model/violation.rs");
    let (_, variants) = text.split_once("pub enum Rule {").unwrap();
    let (variants, _) = variants.split_once("\n}").unwrap();
    let names = variants.lines().filter_map(|line| {
        let name = line.strip_prefix("    ")?;
        let end = name.find(['(', ',', ' '])?;
        name.starts_with(char::is_uppercase).then(|| &name[..end])
    });
    let rules: BTreeSet<_> = names.collect();
    let cases: BTreeSet<_> = all().iter().map(|case| case.rule).collect();
    assert_eq!(rules, cases);
}
