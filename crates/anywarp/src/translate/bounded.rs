//! Bounds the size of the text that naga's writers produce.
//!
//! In: the text of a writer, and the limit that it exceeded, if any. Out: the text, or an error that names the
//! declaration at which the text ended. naga writes every element of an array's zero value, and repeats shared
//! subexpressions, so its text can be exponentially longer than the program.

use anywarp_program::naga::Module;
use anywarp_program::work::MeteredText;

/// The number of characters of a line that are searched for the name of a declaration.
const HEAD: usize = 512;

/// The complete text. If a limit was exceeded, that is the reason for any error of the writer.
pub(super) fn whole(
    text: MeteredText,
    written: Result<(), String>,
    module: &Module,
) -> Result<Vec<u8>, String> {
    match text.finish() {
        (text, None) => written.map(|()| text.into_bytes()),
        (text, Some(over)) => Err(format!(
            "{} takes {over} to write; raise the limit with `{}`",
            declaration(&text, module),
            over.option()
        )),
    }
}

/// The declaration at which a text ends: the last line that is neither indented nor a closing bracket.
fn declaration(text: &str, module: &Module) -> String {
    let is_head =
        |line: &&str| line.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let head = text.rsplit('\n').find(is_head).unwrap_or_default();
    let head: String = head.chars().take(HEAD).collect();
    // The name precedes the parameters, the assignment or the body.
    let name = head
        .split(['(', '[', '=', '{', ';', ':'])
        .next()
        .unwrap_or_default();
    let name = name.split_whitespace().last().unwrap_or_default();
    match name {
        "" => "the program".to_owned(),
        name => format!("`{}`", own_name(name, module)),
    }
}

/// The program's own name for a name in naga's output: naga appends `_` to names that end in a digit.
fn own_name<'a>(name: &'a str, module: &Module) -> &'a str {
    let Some(shorter) = name.strip_suffix('_') else {
        return name;
    };
    let constants = module
        .constants
        .iter()
        .filter_map(|(_, it)| it.name.as_deref());
    let variables = module
        .global_variables
        .iter()
        .filter_map(|(_, it)| it.name.as_deref());
    let functions = module
        .functions
        .iter()
        .filter_map(|(_, it)| it.name.as_deref());
    let points = module
        .entry_points
        .iter()
        .map(|entry_point| entry_point.name.as_str());
    let mut names = constants.chain(variables).chain(functions).chain(points);
    if names.any(|name| name == shorter) {
        shorter
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use anywarp_program::work::WorkLimits;

    use super::*;

    fn failure(lines: &[&str], limits: WorkLimits) -> String {
        let mut text = MeteredText::new(limits);
        let written = lines.iter().try_for_each(|line| writeln!(text, "{line}"));
        let written = written.map_err(|error| error.to_string());
        whole(text, written, &Module::default()).unwrap_err()
    }

    #[test]
    fn the_last_declaration_is_named() {
        let limits = WorkLimits::UNLIMITED.with_bytes(64);
        let tail = ["    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0"];
        for (head, name) in [
            ("const float TABLE[2][2] = float[2][2](", "`TABLE`"),
            ("void main() {", "`main`"),
            ("constant type_3 TABLE = {", "`TABLE`"),
            ("  indented", "the program"),
        ] {
            let error = failure(&[head, tail[0]], limits);
            let expected = format!(
                "{name} takes more than 64 bytes to write; raise the limit with `--max-bytes`"
            );
            assert_eq!(error, expected);
        }
    }

    #[test]
    fn steps_are_limited_too() {
        let error = failure(&["a"; 100], WorkLimits::UNLIMITED.with_steps(10));
        assert!(error.contains("more than 10 steps of work"), "{error}");
        assert!(error.contains("--max-steps"), "{error}");
    }

    #[test]
    fn text_within_the_limit_is_whole() {
        let mut text = MeteredText::new(WorkLimits::UNLIMITED.with_bytes(4));
        text.write_str("void").unwrap();
        assert_eq!(whole(text, Ok(()), &Module::default()).unwrap(), b"void");
    }
}
