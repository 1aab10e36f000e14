//! Text of naga's writers, up to a limit.
//!
//! In: what a writer wrote, and the limit that it passed, if there is one. Out: the text, or an error that names the
//! declaration that the text ended in. naga writes every element of the zero value of an array, and parts of expressions
//! as often as they are mentioned, so its text can be exponentially longer than the program.

use anywarp_program::naga::Module;
use anywarp_program::work::MeteredText;

/// Characters of a line in which the name of a declaration is looked for.
const HEAD: usize = 512;

/// The whole text; if a limit was passed, that is the reason for whatever the writer says.
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

/// The declaration that a text ends in: its first line is the last one that is not indented and closes nothing.
fn declaration(text: &str, module: &Module) -> String {
    let is_head =
        |line: &&str| line.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let head = text.rsplit('\n').find(is_head).unwrap_or_default();
    let head: String = head.chars().take(HEAD).collect();
    // A name stands before its parameters, its sides or its value.
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

/// The name that a program has for what naga calls otherwise: it puts `_` after names that end in a digit.
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
    let points = module.entry_points.iter().map(|it| it.name.as_str());
    let mut names = constants.chain(variables).chain(functions).chain(points);
    match names.any(|it| it == shorter) {
        true => shorter,
        false => name,
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
