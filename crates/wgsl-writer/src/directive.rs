//! Writes directives: `enable` and `diagnostic`, for the module and for functions.
//!
//! In: the extensions used by the text, and the uniformity rules that it may break. Out: the directives.

use std::fmt::Write;

use anywarp_program::naga::diagnostic_filter::{
    DiagnosticFilterNode, FilterableTriggeringRule, Severity, StandardFilterableTriggeringRule,
};
use anywarp_program::naga::{Function, Handle};

use super::Dialect;
use super::context::Context;
use super::extension::Extension;
use super::uniformity::Uniformity;

/// Prepends the directives to the text of a module.
pub(super) fn before(cx: &Context<'_>, uniformity: &Uniformity<'_>, text: String) -> String {
    let mut directives = String::new();
    for (extension, word) in cx.extensions.iter() {
        // naga provides subgroups without `enable`, and refuses the directive.
        if extension != Extension::Subgroups || cx.dialect == Dialect::WebGpu {
            let _ = writeln!(directives, "enable {word};");
        }
    }
    for filter in filters(cx, cx.module.diagnostic_filter_leaf, None) {
        let _ = writeln!(directives, "diagnostic({filter});");
    }
    if cx.dialect == Dialect::WebGpu {
        for rule in uniformity.broken_rules() {
            let _ = writeln!(directives, "diagnostic(off, {rule});");
        }
    }
    match directives.is_empty() {
        true => text,
        false => directives + "\n" + &text,
    }
}

/// Appends the diagnostic attributes of a function.
pub(super) fn of_function(cx: &Context<'_>, function: &Function, out: &mut String) {
    let end = cx.module.diagnostic_filter_leaf;
    for filter in filters(cx, function.diagnostic_filter_leaf, end) {
        let _ = writeln!(out, "@diagnostic({filter})");
    }
}

/// Diagnostic filters from the outermost to the innermost.
fn filters(
    cx: &Context<'_>,
    leaf: Option<Handle<DiagnosticFilterNode>>,
    end: Option<Handle<DiagnosticFilterNode>>,
) -> Vec<String> {
    let mut filters = Vec::new();
    let mut node = leaf;
    while let Some(handle) = node.filter(|_| node != end) {
        let filter = &cx.module.diagnostic_filters[handle];
        let severity = match filter.inner.new_severity {
            Severity::Off => "off",
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let rule = match &filter.inner.triggering_rule {
            FilterableTriggeringRule::Standard(
                StandardFilterableTriggeringRule::DerivativeUniformity,
            ) => "derivative_uniformity".to_string(),
            FilterableTriggeringRule::Unknown(name) => name.to_string(),
            FilterableTriggeringRule::User(names) => format!("{}.{}", names[0], names[1]),
        };
        filters.push(format!("{severity}, {rule}"));
        node = filter.parent;
    }
    filters.reverse();
    filters
}
