//! Words naga's GLSL errors in GLSL's terms.
//!
//! In: an error of naga's GLSL front end. Out: a message with tokens as GLSL spells them, not as naga names them, and a
//! note if naga, and not the program, is the cause.

use naga::front::glsl::{ErrorKind, ExpectedToken, TokenValue};
use pp_rs::token::PreprocessorError;

use crate::diagnostic::FRONT_END_LIMIT;

/// The message and notes for an error; `found` is the text at its location.
pub(super) fn describe(kind: &ErrorKind, found: Option<&str>) -> (String, Vec<String>) {
    let limit = || vec![FRONT_END_LIMIT.to_owned()];
    let message = match kind {
        ErrorKind::InvalidToken(_, expected) => {
            let expected: Vec<String> = expected.iter().map(spell_expected).collect();
            let found = found.map_or("the end of the file".to_owned(), |word| format!("`{word}`"));
            format!("expected {}, found {found}", expected.join(" or "))
        }
        ErrorKind::PreprocessorError(PreprocessorError::ErrorDirective) => {
            "an `#error` directive ends the program here".to_owned()
        }
        ErrorKind::PreprocessorError(error) => {
            let what = spaced(&format!("{error:?}"));
            format!("the preprocessor cannot go on: {what}")
        }
        ErrorKind::SemanticError(text) if text == "Missing entry point" => {
            "the program has no function `main`".to_owned()
        }
        ErrorKind::SemanticError(text) if text.contains("IncompatibleOperands") => {
            // naga reports it where it next resolves a type, which may be after the operator.
            let message = "an operator here or before cannot be read with operands of its types";
            let note = "naga does not compare structures and arrays: compare their members";
            return (message.to_owned(), vec![note.to_owned()]);
        }
        ErrorKind::SemanticError(text) if is_built_in(text) => {
            return (text.clone().into_owned(), limit());
        }
        ErrorKind::NotImplemented(what) => return (format!("not implemented: {what}"), limit()),
        ErrorKind::UnknownVariable(name) => format!("no variable `{name}` is known"),
        ErrorKind::UnknownType(name) => format!("no type `{name}` is known"),
        ErrorKind::UnknownField(name) => format!("there is no field `{name}`"),
        ErrorKind::UnknownLayoutQualifier(name) => {
            format!("no layout qualifier `{name}` is known")
        }
        ErrorKind::VariableAlreadyDeclared(name) => format!("variable `{name}` is declared twice"),
        ErrorKind::InvalidVersion(version) => {
            let message = format!("version {version} of GLSL cannot be read");
            return (message, vec!["versions 440, 450 and 460 can".to_owned()]);
        }
        ErrorKind::UnsupportedMatrixWithTwoRowsInStd140 { columns } => {
            let message = format!("a `mat{columns}x2` in the layout std140 cannot be read");
            return (message, limit());
        }
        ErrorKind::UnsupportedF16MatrixInStd140 { columns, rows } => {
            let message =
                format!("an `f16mat{columns}x{rows}` in the layout std140 cannot be read");
            return (message, limit());
        }
        other => other.to_string(),
    };
    (message, Vec::new())
}

/// Name prefixes of builtin functions of GLSL 4.60 that naga does not know.
const UNKNOWN_FUNCTIONS: &[&str] = &[
    "allInvocations",
    "anyInvocation",
    "atomic",
    "frexp",
    "image",
    "imulExtended",
    "interpolateAt",
    "memoryBarrier",
    "groupMemoryBarrier",
    "modf",
    "subgroup",
    "subpassLoad",
    "texel",
    "texture",
    "uaddCarry",
    "umulExtended",
    "usubBorrow",
];

/// Whether naga's message says that it does not know a builtin function of GLSL.
fn is_built_in(text: &str) -> bool {
    let name = text.strip_prefix("Unknown function '");
    name.is_some_and(|name| {
        UNKNOWN_FUNCTIONS
            .iter()
            .any(|prefix| name.starts_with(prefix))
    })
}

/// Splits a CamelCase name into words: `UnexpectedEndOfInput(..)` becomes `unexpected end of input`.
fn spaced(name: &str) -> String {
    let name = name.split('(').next().unwrap_or(name);
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    words
}

fn spell_expected(expected: &ExpectedToken) -> String {
    match expected {
        ExpectedToken::Token(token) => match spell(token) {
            Some(sign) => format!("`{sign}`"),
            None => spaced(&format!("{token:?}")),
        },
        other => other.to_string(),
    }
}

/// The GLSL spelling of a punctuator; `None` for tokens that are described in words.
fn spell(token: &TokenValue) -> Option<&'static str> {
    Some(match token {
        TokenValue::Assign => "=",
        TokenValue::LeftBrace => "{",
        TokenValue::RightBrace => "}",
        TokenValue::LeftParen => "(",
        TokenValue::RightParen => ")",
        TokenValue::LeftBracket => "[",
        TokenValue::RightBracket => "]",
        TokenValue::Comma => ",",
        TokenValue::Semicolon => ";",
        TokenValue::Colon => ":",
        TokenValue::Dot => ".",
        TokenValue::Question => "?",
        TokenValue::While => "while",
        TokenValue::Case => "case",
        TokenValue::Default => "default",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words() {
        assert_eq!(spaced("UnexpectedEndOfInput"), "unexpected end of input");
        assert_eq!(spaced("UnexpectedToken(Punct(Plus))"), "unexpected token");
    }
}
