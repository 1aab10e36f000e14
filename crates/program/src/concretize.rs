//! Source rewrites for constant expressions that WGSL allows and naga does not evaluate.
//!
//! In: WGSL that naga refused, and the location of the error. Out: an equivalent text that naga accepts.
//! - naga does not evaluate `mix`, `smoothstep`, `determinant` and `transpose` of abstract literals, and leaves the
//!   result without a concrete type. One literal of such a call is replaced by the name of an `f32` constant. This
//!   makes the call an `f32` call, which is WGSL's default concretization.
//! - A `const` inside a function that naga cannot evaluate becomes a `let`.
//!
//! What always holds: byte offsets of the user's text do not change, because a name is as long as the literal it
//! replaces and the constants are added at the end. Only programs that naga refuses are rewritten. A call is left
//! alone, and refused, if `f32` would change the program: if its result is used as `f16`, or converted to an integer
//! that `f32` does not represent.

mod exact;
mod literal;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use crate::tokenizer::{Token, Tokens};
use literal::literals;

/// Functions that accept abstract arguments and that naga does not evaluate.
const FUNCTIONS: [&str; 4] = ["determinant", "mix", "smoothstep", "transpose"];

/// A rewritten WGSL text.
#[derive(Clone, Debug, Default)]
pub(crate) struct RewrittenText {
    pub(crate) text: String,
    /// Names of the added constants.
    pub(crate) names: Vec<String>,
    /// Byte ranges of the calls and statements that were changed.
    pub(crate) places: Vec<Range<usize>>,
    /// Whether a `const` became a `let`.
    pub(crate) has_let: bool,
    /// Whether a call was left alone because `f32` arithmetic would change its value.
    pub(crate) has_inexact: bool,
}

/// Rewrites calls with abstract arguments as `f32` calls; `None` if there are none.
pub(crate) fn calls(text: &str) -> Option<RewrittenText> {
    let tokens: Vec<Token<'_>> = Tokens::new(text).collect();
    let mut rewritten = RewrittenText {
        text: text.to_owned(),
        ..RewrittenText::default()
    };
    let mut names = FreshNames::new(&tokens);
    for call in abstract_calls(&tokens) {
        let inner = &tokens[call.clone()];
        let place = inner[0].start..inner[inner.len() - 1].end();
        let arguments = without_comments(inner);
        if let Some(target) = conversion(&tokens, &call)
            && exact::is_kept(inner[0].text, &arguments, target) == Some(false)
        {
            rewritten.has_inexact = true;
            continue;
        }
        let Some(literal) = most_telling(&arguments) else {
            continue;
        };
        let first = inner[1].end();
        let literal = first + literal.start..first + literal.end;
        let Some(name) = names.of(&text[literal.clone()]) else {
            continue;
        };
        rewritten.text.replace_range(literal, &name);
        rewritten.places.push(place);
    }
    for (literal, name) in names.given {
        rewritten
            .text
            .push_str(&format!("\nconst {name}: f32 = {literal};"));
        rewritten.names.push(name);
    }
    (!rewritten.places.is_empty() || rewritten.has_inexact).then_some(rewritten)
}

/// The type constructor whose only argument is the call.
fn conversion<'a>(tokens: &[Token<'a>], call: &Range<usize>) -> Option<&'a str> {
    let before = tokens.get(call.start.checked_sub(2)?..call.start)?;
    let is_alone = before[1].text == "(" && tokens.get(call.end)?.text == ")";
    is_alone.then_some(before[0].text)
}

/// The arguments of a call, with comments replaced by blanks.
fn without_comments(call: &[Token<'_>]) -> String {
    let start = call[1].end();
    let mut plain = String::new();
    for token in &call[2..call.len() - 1] {
        let blanks = token.start - start - plain.len();
        plain.extend(std::iter::repeat_n(' ', blanks));
        plain.push_str(token.text);
    }
    plain
}

/// Turns the `const` statement around an offset, inside a function, into a `let`; `None` if there is no such statement.
pub(crate) fn statement(text: &str, place: usize) -> Option<RewrittenText> {
    let mut depth = 0_usize;
    let mut first = None;
    let mut begins = true;
    for token in Tokens::new(text) {
        if token.start > place {
            break;
        }
        if begins {
            first = Some(token);
        }
        match token.text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        begins = matches!(token.text, ";" | "{" | "}");
    }
    let keyword = first.filter(|token| token.text == "const" && depth > 0)?;
    let changed = keyword.start..place + 1;
    let mut text = text.to_owned();
    text.replace_range(keyword.start..keyword.end(), "let  ");
    Some(RewrittenText {
        text,
        names: Vec::new(),
        places: vec![changed],
        has_let: true,
        has_inexact: false,
    })
}

/// Whether an offset is in the same statement as the start of one of the ranges.
pub(crate) fn shares_statement(text: &str, place: usize, others: &[Range<usize>]) -> bool {
    let mut start = 0;
    for token in Tokens::new(text) {
        if !matches!(token.text, ";" | "{" | "}") {
            continue;
        }
        let statement = start..token.end();
        if statement.contains(&place) {
            return others.iter().any(|other| statement.contains(&other.start));
        }
        start = token.end();
    }
    false
}

/// Calls whose arguments can all be abstract, each from the function's name to the closing bracket.
fn abstract_calls(tokens: &[Token<'_>]) -> Vec<Range<usize>> {
    let declared: HashSet<&str> = declared_after(tokens, &["fn", "struct", "alias"]);
    let constants = declared_after(tokens, &["const"]);
    let mut calls = Vec::new();
    for (at, pair) in tokens.windows(2).enumerate() {
        let is_call = FUNCTIONS.contains(&pair[0].text) && pair[1].text == "(";
        if !is_call || declared.contains(pair[0].text) {
            continue;
        }
        let Some(length) = group_length(&tokens[at + 1..]) else {
            continue;
        };
        let arguments = &tokens[at + 2..at + length];
        let is_abstract = |token: &Token<'_>| {
            if token.text.starts_with(|c: char| c.is_ascii_digit()) {
                // A suffix gives a type. Hexadecimal literals count as concrete.
                return token
                    .text
                    .bytes()
                    .all(|b| b.is_ascii_digit() || b == b'e' || b == b'E');
            }
            let is_known = is_constructor(token.text) || is_function(token.text);
            !token.is_word()
                || constants.contains(token.text)
                || is_known && !declared.contains(token.text)
        };
        if arguments.iter().all(is_abstract) && !arguments.is_empty() {
            calls.push(at..at + length + 1);
        }
    }
    calls
}

/// The names declared with one of these keywords.
fn declared_after<'a>(tokens: &[Token<'a>], keywords: &[&str]) -> HashSet<&'a str> {
    let pairs = tokens.windows(2);
    pairs
        .filter(|pair| keywords.contains(&pair[0].text))
        .map(|pair| pair[1].text)
        .collect()
}

/// Number of tokens of the bracket group at the start of `tokens`.
fn group_length(tokens: &[Token<'_>]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            ";" | "{" | "}" => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Type constructors without a template list: their components determine the type.
fn is_constructor(word: &str) -> bool {
    let is_size = |text: &str| matches!(text, "2" | "3" | "4");
    let matrix = || word.strip_prefix("mat")?.split_once('x');
    word.strip_prefix("vec").is_some_and(is_size)
        || matrix().is_some_and(|(columns, rows)| is_size(columns) && is_size(rows))
}

/// Builtin functions that take and return floats.
fn is_function(word: &str) -> bool {
    const FLOAT: &[&str] = &[
        "abs",
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "ceil",
        "clamp",
        "cos",
        "cosh",
        "cross",
        "degrees",
        "distance",
        "dot",
        "exp",
        "exp2",
        "floor",
        "fma",
        "fract",
        "inverseSqrt",
        "length",
        "log",
        "log2",
        "max",
        "min",
        "normalize",
        "pow",
        "radians",
        "round",
        "saturate",
        "sign",
        "sin",
        "sinh",
        "sqrt",
        "step",
        "tan",
        "tanh",
        "trunc",
    ];
    FLOAT.contains(&word) || FUNCTIONS.contains(&word)
}

/// The literal to replace: the first float, else the first integer that is a whole argument.
fn most_telling(arguments: &str) -> Option<Range<usize>> {
    let found = literals(arguments, 0..arguments.len());
    let is_float = |range: &&Range<usize>| arguments[(*range).clone()].contains(['.', 'e', 'E']);
    let is_argument = |range: &&Range<usize>| {
        let before = arguments[..range.start].trim_end();
        let after = arguments[range.end..].trim_start();
        (before.is_empty() || before.ends_with(',')) && (after.is_empty() || after.starts_with(','))
    };
    found
        .iter()
        .find(is_float)
        .or_else(|| found.iter().find(is_argument))
        .cloned()
}

/// Generates names that the text does not use, one per literal and of the same length.
struct FreshNames<'a> {
    used: HashSet<&'a str>,
    given: BTreeMap<String, String>,
    /// For each length, the candidates that were not tried yet.
    left: HashMap<usize, Box<dyn Iterator<Item = String>>>,
}

impl<'a> FreshNames<'a> {
    fn new(tokens: &[Token<'a>]) -> Self {
        Self {
            used: tokens.iter().map(|token| token.text).collect(),
            given: BTreeMap::new(),
            left: HashMap::new(),
        }
    }

    fn of(&mut self, literal: &str) -> Option<String> {
        if let Some(name) = self.given.get(literal) {
            return Some(name.clone());
        }
        let length = literal.len();
        let new = || Box::new(candidates(length)) as _;
        let left = self.left.entry(length).or_insert_with(new);
        let name = left.find(|candidate| !self.used.contains(candidate.as_str()))?;
        self.given.insert(literal.to_owned(), name.clone());
        Some(name)
    }
}

/// Names of a given length: a letter, or a letter and digits. None is a WGSL keyword, and names of types are left out.
fn candidates(length: usize) -> impl Iterator<Item = String> {
    let letters = || ('a'..='z').chain('A'..='Z');
    let digits = (length - 1).min(6);
    let numbers = 0..10_usize.pow(digits as u32);
    let is_type = |name: &String| {
        matches!(
            name.as_str(),
            "f16" | "f32" | "f64" | "i16" | "i32" | "i64" | "u16" | "u32" | "u64"
        )
    };
    numbers
        .flat_map(move |number| letters().map(move |letter| (letter, number)))
        .map(move |(letter, number)| match length {
            1 => letter.to_string(),
            _ => format!("{letter}{number:0width$}", width = length - 1),
        })
        .filter(move |name| !is_type(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_literal_of_a_call_becomes_a_name_of_its_length() {
        for (text, expected) in [
            (
                "mix(1.0, 3.0, 0.5)",
                "mix(a00, 3.0, 0.5)\nconst a00: f32 = 1.0;",
            ),
            (
                "mix(1, 3, 0.25)",
                "mix(1, 3, a000)\nconst a000: f32 = 0.25;",
            ),
            ("mix(1, 3, 0)", "mix(a, 3, 0)\nconst a: f32 = 1;"),
            ("a; mix(1, 3, 0)", "a; mix(b, 3, 0)\nconst b: f32 = 1;"),
            (
                "const A = 1.0; mix(vec3(A), vec3(1e-3), .5)",
                "const A = 1.0; mix(vec3(A), vec3(a000), .5)\nconst a000: f32 = 1e-3;",
            ),
            (
                "mix(/* 2.0, */ 1.0, // 4.0\n 3.0, 0.5)",
                "mix(/* 2.0, */ a00, // 4.0\n 3.0, 0.5)\nconst a00: f32 = 1.0;",
            ),
            (
                "u32(mix(0.0, 33554434.0, 0.5)); f32(mix(1.0, 33554434.0, 0.5))",
                "u32(mix(0.0, 33554434.0, 0.5)); f32(mix(a00, 33554434.0, 0.5))\nconst a00: f32 = 1.0;",
            ),
            (
                "mix(1.0, mix(1.0, 2.0, 0.5), 0.5)",
                "mix(a00, mix(a00, 2.0, 0.5), 0.5)\nconst a00: f32 = 1.0;",
            ),
        ] {
            assert_eq!(calls(text).unwrap().text, expected);
        }
    }

    #[test]
    fn calls_that_are_concrete_or_not_wgsl_are_left_alone() {
        for text in [
            "mix(x, 3.0, 0.5)",
            "mix(f32(1), 3.0, 0.5)",
            "mix(vec3<f16>(1), vec3(3.0), 0.5)",
            "mix(1.0h, 3.0h, 0.5h)",
            "mix(1.0h, 3.0, 0.5)",
            "sin(1.0)",
            "mix()",
            "mix(1.0, 2.0",
            "fn mix(a: f32) {} fn f() { mix(1.0); }",
        ] {
            assert!(calls(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_const_of_a_function_becomes_a_let() {
        let text =
            "const a = mix(1.0, 2.0, 0.5); fn f() { let b = 1; const c = mix(1.0, 2.0, 0.5); }";
        let place = text.rfind("mix").unwrap();
        let rewritten = statement(text, place).unwrap().text;
        assert!(rewritten.contains("let   c = mix"), "{rewritten}");
        assert_eq!(rewritten.len(), text.len());
        assert!(statement(text, 12).is_none());
        assert!(statement(text, text.find("= 1;").unwrap()).is_none());
    }

    #[test]
    fn statements_end_at_semicolons_and_braces() {
        let text = "fn f() { a; b + c; d }";
        let at = |part: &str| text.find(part).unwrap();
        let place = |part: &str| at(part)..at(part) + 1;
        assert!(shares_statement(text, at("b"), &[place("c")]));
        assert!(!shares_statement(text, at("a;"), &[place("c")]));
        assert!(!shares_statement(text, 99, &[place("c")]));
    }
}
