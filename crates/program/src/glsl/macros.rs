//! Bounds the result of macro expansion before expanding.
//!
//! In: GLSL text. Out: an upper bound of the nesting depth of macros, or an error: a few lines of macros that each use
//! another twice expand exponentially. The bound of each macro's length is a fixpoint: each iteration computes the
//! length of the bodies from the lengths of the previous one. What always holds: no expansion is longer than its bound;
//! a call counts as the length of the macro times that of its arguments.

use std::collections::HashMap;
use std::ops::Range;

use crate::tokenizer::{Token, Tokens};

/// Maximal length of a chain of macros in which each uses the next.
const MAX_LEVELS: usize = 64;

/// Maximal number of tokens in all definitions together.
const MAX_DEFINED: usize = 1 << 18;

/// Maximal number of consecutive line continuations: the preprocessor recurses over them.
const MAX_CONTINUATIONS: usize = 64;

/// Bounds on the macro expansion of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ExpansionBounds {
    /// Nesting depth of macros.
    pub(super) levels: usize,
}

/// A limit that the macros of a text exceed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MacroLimitExceeded<'a> {
    pub(super) message: String,
    pub(super) location: MacroLocation<'a>,
}

/// The macro that a [`MacroLimitExceeded`] points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MacroLocation<'a> {
    /// The definition of a macro.
    Definition(&'a str),
    /// The first use of a macro outside directives.
    Use(&'a str),
}

/// A text with more line continuations in a row than naga's preprocessor takes; the message follows the file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("continues a line more than {MAX_CONTINUATIONS} times without anything on it")]
pub(super) struct TooManyContinuations;

/// All definitions of a name, in order.
#[derive(Default)]
struct Macro<'a> {
    /// Number of definitions before its first one.
    order: usize,
    bodies: Vec<Vec<Token<'a>>>,
    is_function: bool,
}

type Macros<'a> = HashMap<&'a str, Macro<'a>>;
type Lengths<'a> = HashMap<&'a str, u64>;

/// The text after phases 1 to 3 of GLSL's compilation: uniform line breaks, continued lines joined, comments removed.
pub(super) fn without_comments(text: &str) -> Result<String, TooManyContinuations> {
    let text = text
        .replace("\r\n", "\n")
        .replace("\n\r", "\n")
        .replace('\r', "\n");
    if text.contains(&"\\\n".repeat(MAX_CONTINUATIONS)) {
        return Err(TooManyContinuations);
    }
    let text = text.replace("\\\n", "");
    let mut plain = String::with_capacity(text.len());
    let mut rest = &text[..];
    while let Some(start) = rest.find("/") {
        plain.push_str(&rest[..start]);
        let comment = &rest[start..];
        let length = if comment.starts_with("//") {
            comment.find('\n').unwrap_or(comment.len())
        } else if let Some(inside) = comment.strip_prefix("/*") {
            let end = inside.find("*/");
            end.map_or(comment.len(), |end| end + 4)
        } else {
            plain.push('/');
            rest = &comment[1..];
            continue;
        };
        plain.push(' ');
        rest = &comment[length..];
    }
    plain.push_str(rest);
    Ok(plain)
}

/// Bounds the macro expansion of a text without comments.
pub(super) fn expansion(
    plain: &str,
    limit: u64,
) -> Result<ExpansionBounds, MacroLimitExceeded<'_>> {
    let macros = definitions(plain)?;
    let mut lengths: Lengths<'_> = macros.keys().map(|name| (*name, 1)).collect();
    let mut levels = 0;
    loop {
        let next: Lengths<'_> = macros
            .iter()
            .map(|(name, definition)| (*name, definition.length(name, &macros, &lengths)))
            .collect();
        if let Some(name) = first(&macros, |name| next[name] > limit) {
            return Err(MacroLimitExceeded {
                message: format!("macro `{name}` may expand to more than {limit} tokens"),
                location: MacroLocation::Definition(name),
            });
        }
        if next == lengths {
            break;
        }
        levels += 1;
        if levels > MAX_LEVELS {
            let name = first(&macros, |name| next[name] != lengths[name]).unwrap_or_default();
            return Err(MacroLimitExceeded {
                message: format!(
                    "macro `{name}` expands through more than {MAX_LEVELS} levels of macros"
                ),
                location: MacroLocation::Definition(name),
            });
        }
        lengths = next;
    }
    // A call may continue after a directive, so all code outside directives is measured as one token sequence.
    let (directives, code): (Vec<_>, Vec<_>) = plain.lines().partition(|line| is_directive(line));
    let code: Vec<_> = code.iter().flat_map(|line| Tokens::new(line)).collect();
    let longest = code.iter().rev().map(|token| token.text);
    let longest = longest.max_by_key(|name| lengths.get(name)).unwrap_or("");
    let runs = directives.iter().map(|line| Tokens::new(line).collect());
    let total = runs.chain([code]).fold(0_u64, |total, run: Vec<_>| {
        total.saturating_add(length(&run, "", &macros, &lengths))
    });
    if total > limit.saturating_mul(4) {
        return Err(MacroLimitExceeded {
            message: format!("the program may have more than {limit} tokens after macro expansion"),
            location: MacroLocation::Use(longest),
        });
    }
    Ok(ExpansionBounds { levels })
}

/// The first macro, in order of definition, that satisfies a condition.
fn first<'a>(macros: &Macros<'a>, condition: impl Fn(&str) -> bool) -> Option<&'a str> {
    let found = macros.iter().filter(|(name, _)| condition(name));
    found
        .min_by_key(|(_, definition)| definition.order)
        .map(|(name, _)| *name)
}

/// All macros that a text defines.
fn definitions(plain: &str) -> Result<Macros<'_>, MacroLimitExceeded<'_>> {
    let mut macros = Macros::new();
    let mut order = 0;
    let mut defined = 0;
    for line in plain.lines() {
        let directive = line.trim_start().strip_prefix('#');
        let Some(after) = directive.and_then(|text| text.trim_start().strip_prefix("define"))
        else {
            continue;
        };
        let mut tokens = Tokens::new(after).peekable();
        let Some(name) = tokens.next().filter(Token::is_word) else {
            continue;
        };
        let definition: &mut Macro<'_> = macros.entry(name.text).or_insert_with(|| Macro {
            order,
            ..Macro::default()
        });
        order += 1;
        definition.is_function |= tokens
            .peek()
            .is_some_and(|next| next.text == "(" && next.start == name.end());
        // Includes the parameters: the bound may be too large.
        let body: Vec<_> = tokens.collect();
        defined += body.len();
        definition.bodies.push(body);
        if defined > MAX_DEFINED {
            return Err(MacroLimitExceeded {
                message: format!("macro definitions have more than {MAX_DEFINED} tokens together"),
                location: MacroLocation::Definition(name.text),
            });
        }
    }
    Ok(macros)
}

impl MacroLocation<'_> {
    /// The range of the macro's name in the text with comments. `None` if a line continuation splits the name.
    pub(super) fn find(self, text: &str) -> Option<Range<usize>> {
        let mut before = ["", ""];
        let mut line = 0;
        for token in Tokens::new(text) {
            if let Some(end) = text[line..token.start].rfind('\n') {
                line += end + 1;
            }
            let is_definition = before == ["#", "define"];
            let is_found = match self {
                Self::Definition(name) => is_definition && token.text == name,
                Self::Use(name) => token.text == name && !is_directive(&text[line..]),
            };
            if is_found {
                return Some(token.start..token.end());
            }
            before = [before[1], token.text];
        }
        None
    }
}

fn is_directive(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

impl Macro<'_> {
    /// The length of its longest body; a macro is not expanded inside itself.
    fn length(&self, name: &str, macros: &Macros<'_>, lengths: &Lengths<'_>) -> u64 {
        let bodies = self.bodies.iter();
        let longest = bodies.map(|body| length(body, name, macros, lengths)).max();
        longest.unwrap_or(0).max(1)
    }
}

/// An open bracket group: the length of its contents, and the length of the macro called with it.
struct BracketGroup {
    length: u64,
    factor: u64,
    /// Product of the lengths of function-like macros that are named but not called in it: they may be called where
    /// they are passed to.
    passed: u64,
}

/// An upper bound of the expanded length of tokens, in which `itself` is not expanded.
fn length(tokens: &[Token<'_>], itself: &str, macros: &Macros<'_>, lengths: &Lengths<'_>) -> u64 {
    let mut outer: Vec<BracketGroup> = Vec::new();
    let mut group = BracketGroup {
        length: 0,
        factor: 1,
        passed: 1,
    };
    let mut factor = 1;
    let mut tokens = tokens.iter().peekable();
    while let Some(token) = tokens.next() {
        match token.text {
            "(" => {
                let inner = BracketGroup {
                    length: 1,
                    factor: std::mem::replace(&mut factor, 1),
                    passed: 1,
                };
                outer.push(std::mem::replace(&mut group, inner));
            }
            ")" => {
                let Some(before) = outer.pop() else { continue };
                let closed = std::mem::replace(&mut group, before);
                let total = closed
                    .length
                    .saturating_add(1)
                    .saturating_mul(closed.factor);
                let total = total.saturating_mul(closed.passed);
                group.length = group.length.saturating_add(total);
                // The expansion of a call may itself be called.
                if closed.factor > 1 && tokens.peek().is_some_and(|next| next.text == "(") {
                    factor = total;
                }
            }
            name => {
                let is_called = tokens.peek().is_some_and(|next| next.text == "(");
                let known = (name != itself).then(|| lengths.get(name)).flatten();
                let one = known.copied().unwrap_or(1);
                group.length = group.length.saturating_add(one);
                if is_called {
                    factor = one;
                } else if macros
                    .get(name)
                    .is_some_and(|definition| definition.is_function)
                {
                    group.passed = group.passed.saturating_mul(one);
                }
            }
        }
    }
    // Brackets that are open at the end may be closed by other macros.
    while let Some(before) = outer.pop() {
        let open = std::mem::replace(&mut group, before);
        let total = open
            .length
            .saturating_mul(open.factor)
            .saturating_mul(open.passed);
        group.length = group.length.saturating_add(total);
    }
    group.length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(text: &str) -> Option<usize> {
        let plain = without_comments(text).unwrap();
        expansion(&plain, 1 << 16).ok().map(|bounds| bounds.levels)
    }

    #[test]
    fn comments_and_continued_lines_are_gone() {
        let text = "a /* /* */ b // c\r\nd\\\ne /";
        assert_eq!(without_comments(text).unwrap(), "a   b  \nde /");
        assert!(without_comments(&"\\\n".repeat(1000)).is_err());
        assert_eq!(without_comments("a /* b").unwrap(), "a  ");
    }

    #[test]
    fn ordinary_macros_are_taken() {
        assert_eq!(levels("void main() {}"), Some(0));
        assert_eq!(levels("#define PI 3.14\nfloat x = PI;"), Some(1));
        let square = "#define SQ(x) ((x) * (x))\nfloat y = SQ(SQ(SQ(x) + 1.0));";
        assert!(levels(square).is_some());
        assert!(levels("#define f f\n#define g (g + 1)\nint x = f + g;").is_some());
        assert!(levels("#define a b\n#define b a\nint x = a;").is_some());
    }

    #[test]
    fn macros_that_fill_the_memory_are_refused() {
        let chain = |body: fn(usize) -> String| -> String {
            (1..60)
                .map(|n| format!("#define a{n}{}\n", body(n)))
                .collect()
        };
        let twice = chain(|n| format!(" a{0} a{0}", n - 1));
        assert_eq!(levels(&twice), None);
        let called = chain(|n| format!("(x) a{0}(a{0}(x))", n - 1));
        assert_eq!(levels(&format!("#define a0(x) (x)\n{called}")), None);
        // A continued line does not hide a definition.
        assert_eq!(levels(&twice.replace("define", "def\\\nine")), None);
        let passed = "#define big(x) x x x x x x x x x x x x x x x x\n\
            #define call(f, x) f(x)\n";
        let many = format!(
            "{passed}int a = {}1{};",
            "call(big, ".repeat(9),
            ")".repeat(9)
        );
        assert_eq!(levels(&many), None);
        assert!(levels(&format!("{passed}int a = call(big, 1);")).is_some());
    }
}
