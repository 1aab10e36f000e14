//! Measures the nesting depth and length of a text before naga recurses over it.
//!
//! In: WGSL or GLSL text, or its tokens. Out: a [`Nesting`]: an upper bound of the depth of the syntax tree and where
//! it is reached, the number of module-scope declarations, and an estimate of the number of expressions of the longest
//! function.
//!
//! Brackets nest, and so do chains: `a + b + c`, `a.b.c`, `- - a`, `else if` after `else if`; in GLSL also `a ? b : c ?
//! d : e` and statements without braces. What always holds: the depth of naga's syntax tree does not exceed the bound,
//! so limiting it limits naga's recursion (naga limits nested brackets of WGSL itself, but overflows the stack on
//! chains). The syntax is not checked.

use crate::tokenizer::{Token, Tokens};

/// Maximal depth of the syntax tree. Chrome's compiler has the same limit for expressions, so a program that runs in a
/// browser is accepted here.
pub(crate) const MAX_DEPTH: usize = 512;

/// Maximal number of module-scope declarations: naga recurses over chains of declarations that use one another, and
/// takes time quadratic in their length.
pub(crate) const MAX_DECLARATIONS: usize = 20_000;

/// Maximal number of words, numbers and operators of a function: naga (30) takes time quadratic in the expressions of a
/// function, because its `Typifier::grow` iterates over all earlier expressions for each type that it resolves. At this
/// limit that takes two seconds.
pub(crate) const MAX_OPERANDS: usize = 170_000;

/// The nesting and length of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Nesting {
    /// Upper bound of the depth of the syntax tree, or the first value over [`MAX_DEPTH`].
    pub(crate) depth: usize,
    /// Byte offset of the token that reached `depth`.
    pub(crate) deepest: usize,
    /// Number of module-scope declarations.
    pub(crate) declarations: usize,
    /// Words, numbers and operators of the longest function, or the first value over [`MAX_OPERANDS`].
    pub(crate) operands: usize,
    /// Byte offset of the declaration of the longest function.
    pub(crate) longest: usize,
}

/// The state of an open bracket, or of the module scope.
#[derive(Clone, Copy, Default)]
struct BracketLevel {
    /// Depth of the deepest finished part: a statement, an argument or a declaration.
    finished: usize,
    /// Length of the current chain of operators and postfixes.
    chain: usize,
    /// Depth of the deepest bracket group closed in the current part.
    inner: usize,
    /// Length of the current chain of `else`.
    elses: usize,
}

impl BracketLevel {
    fn depth(&self) -> usize {
        self.finished.max(self.elses + self.chain + self.inner)
    }

    fn finish_part(&mut self) {
        *self = Self {
            finished: self.depth(),
            ..Self::default()
        };
    }
}

/// The grammar that decides how chains nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// Statements have braces, and a colon ends a part.
    Wgsl,
    /// Statements may nest without braces, and a colon continues a conditional operator.
    Glsl,
}

/// Measures WGSL; stops once a limit is exceeded.
pub(crate) fn measure(text: &str) -> Nesting {
    measure_tokens(Tokens::new(text), Grammar::Wgsl)
}

/// Measures GLSL with its directives. The preprocessor reads directives one at a time, so their depths do not add up.
pub(crate) fn measure_glsl(text: &str) -> Nesting {
    let (code, directives) = directives(text);
    let runs = std::iter::once(code).chain(directives);
    let measured = runs.map(|run| measure_tokens(run.into_iter(), Grammar::Glsl));
    measured
        .max_by_key(|nesting| nesting.depth)
        .unwrap_or_default()
}

/// The tokens outside directives, and the tokens of each directive.
fn directives(text: &str) -> (Vec<Token<'_>>, Vec<Vec<Token<'_>>>) {
    let mut code = Vec::new();
    let mut directives: Vec<Vec<Token<'_>>> = Vec::new();
    let mut is_directive = false;
    let mut end = 0;
    for token in Tokens::new(text) {
        let between = &text[end..token.start];
        let has_break = || between.contains('\n') && between.replace("\\\n", "").contains('\n');
        let begins_line = end == 0 || has_break();
        if begins_line {
            is_directive = token.text == "#";
            directives.extend(is_directive.then(Vec::new));
        }
        match directives.last_mut() {
            Some(directive) if is_directive => directive.push(token),
            _ => code.push(token),
        }
        end = token.end();
    }
    (code, directives)
}

/// Measures tokens; stops once a limit is exceeded.
pub(crate) fn measure_tokens<'a>(
    tokens: impl Iterator<Item = Token<'a>>,
    grammar: Grammar,
) -> Nesting {
    let is_wgsl = grammar == Grammar::Wgsl;
    let mut tokens = tokens.peekable();
    let mut nesting = Nesting::default();
    let mut outer: Vec<BracketLevel> = Vec::new();
    let mut level = BracketLevel::default();
    let mut previous = "";
    let mut length = FunctionLength::default();
    while let Some(token) = tokens.next() {
        match token.text {
            "(" | "[" | "{" => {
                if is_wgsl && token.text == "{" && previous == "}" {
                    // A block after a block is a new statement.
                    level.finish_part();
                }
                level.chain += 1;
                outer.push(std::mem::take(&mut level));
            }
            ")" | "]" | "}" => {
                let closed = level.depth();
                // naga reports stray closing brackets.
                level = outer.pop().unwrap_or_default();
                level.inner = level.inner.max(closed);
            }
            // In GLSL the enclosing statement may continue.
            ";" if !is_wgsl && tokens.peek().is_some_and(|next| next.text == "else") => {}
            "," | ";" => level.finish_part(),
            ":" if is_wgsl => level.finish_part(),
            // naga parses labels in a loop, and stops at a label anywhere else.
            "case" | "default" if !is_wgsl => level.finish_part(),
            "else" => level.elses += 2,
            _ => {
                if previous == "}" || (is_wgsl && token.text == "if" && previous != "else") {
                    level.finish_part();
                }
                let deepens = is_operator(&token) || (!is_wgsl && is_statement(&token));
                level.chain += usize::from(deepens);
            }
        }
        nesting.declarations += usize::from(outer.is_empty() && is_declaration(&token));
        if !outer.is_empty() {
            length.add(&token, previous);
        } else if matches!(token.text, "}" | ";") {
            length = FunctionLength::default();
        } else {
            length.begin(token.start);
        }
        if length.operands > nesting.operands {
            nesting.operands = length.operands;
            nesting.longest = length.start;
        }
        let depth = outer.len() + level.depth();
        if depth > nesting.depth {
            nesting.depth = depth;
            // A closing bracket may complete the count, but the reported location is an opening token.
            if !matches!(token.text, ")" | "]" | "}") {
                nesting.deepest = token.start;
            }
        }
        if nesting.depth > MAX_DEPTH
            || nesting.declarations > MAX_DECLARATIONS
            || nesting.operands > MAX_OPERANDS
        {
            break;
        }
        previous = token.text;
    }
    nesting
}

/// Estimates the number of expressions of a function.
#[derive(Default)]
struct FunctionLength {
    /// Start of its declaration, if it has begun.
    start: usize,
    has_begun: bool,
    operands: usize,
}

impl FunctionLength {
    fn begin(&mut self, start: usize) {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.start = start;
        }
    }

    /// Numbers in lists are not counted: naga does not resolve their types one by one.
    fn add(&mut self, token: &Token<'_>, previous: &str) {
        let is_listed =
            previous == "," && token.text.starts_with(|first: char| first.is_ascii_digit());
        let is_counted = match token.text {
            "(" | ")" | "[" | "]" | "{" | "}" | "," | ";" | ":" | "=" | "." | "@" => false,
            "case" | "if" | "else" | "let" | "var" | "return" | "for" | "while" | "loop" => false,
            _ => !is_listed,
        };
        self.operands += usize::from(is_counted);
    }
}

fn is_operator(token: &Token<'_>) -> bool {
    token
        .text
        .starts_with(|c: char| c.is_ascii_punctuation() && c != '_')
}

/// Whether a token begins a statement that has another in it.
fn is_statement(token: &Token<'_>) -> bool {
    matches!(token.text, "do" | "for" | "if" | "switch" | "while")
}

fn is_declaration(token: &Token<'_>) -> bool {
    matches!(
        token.text,
        "alias" | "const" | "const_assert" | "fn" | "override" | "struct" | "var"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(text: &str) -> usize {
        measure(text).depth
    }

    #[test]
    fn brackets_and_chains_add_up() {
        assert_eq!(depth("a"), 0);
        assert!(depth(&"(".repeat(40)) >= 40);
        assert!(depth(&format!("const a = 1{};", " + 1".repeat(40))) >= 40);
        assert!(depth(&format!("const a = {}1;", "-".repeat(40))) >= 40);
        assert!(depth(&format!("const a = b{};", ".x".repeat(40))) >= 40);
        assert!(depth(&format!("const a = b{};", "[0]".repeat(40))) >= 40);
        let elses = " else if x {}".repeat(40);
        assert!(depth(&format!("fn f() {{ if x {{}} {elses} }}")) >= 40);
        // A group in front of a chain is nested below the whole chain.
        let mixed = format!("{}1{}", "(".repeat(30), ") + 1 + 1 + 1".repeat(30));
        assert!(depth(&mixed) >= 120);
    }

    #[test]
    fn a_long_program_is_not_a_deep_one() {
        for part in [
            "a + 1, ",
            "a = b + c; ",
            "f(x); ",
            "if x { y(); } else { z(); } ",
            "if x { y(); } ",
            "loop { break; } ",
            "{ x(); } ",
            "fn f() { return; } ",
            "@group(0) @binding(1) var<storage> a: array<vec4<f32>>; ",
            "struct S { a: f32, b: vec3<f32> } ",
        ] {
            assert!(depth(&part.repeat(500)) < 20, "{part}");
        }
    }

    #[test]
    fn statements_of_glsl_nest_without_braces() {
        let depth = |text: &str| measure_tokens(Tokens::new(text), Grammar::Glsl).depth;
        for part in [
            "if (x) ",
            "for (;;) ",
            "while (x) ",
            "do ",
            "if (x) y; else ",
            "a = b ? c : ",
        ] {
            assert!(depth(&part.repeat(40)) >= 40, "{part}");
            assert!(depth(&format!("{part}z; ").repeat(500)) < 20, "{part}");
        }
    }

    #[test]
    fn labels_and_directives_of_glsl_do_not_nest() {
        let labels: String = (0..600).map(|number| format!("case {number}: ")).collect();
        let switch = format!("switch (x) {{ {labels} default: y; }}");
        assert!(measure_glsl(&switch).depth < 20);
        for line in [
            "#extension all : enable\n",
            "#define A -1\n",
            "#pragma optimize(on)\n",
            "#ifdef A\n#endif\n",
        ] {
            assert!(measure_glsl(&line.repeat(600)).depth < 20, "{line}");
        }
        let deep = format!("#if {}1\n#endif\n", "-".repeat(40));
        assert!(measure_glsl(&deep).depth >= 40);
        let continued = format!("#if {}1\n#endif\n", "-\\\n".repeat(40));
        assert!(measure_glsl(&continued).depth >= 40);
        // Code continues after a directive.
        let around = "(\n#pragma a\n".repeat(40);
        assert!(measure_glsl(&around).depth >= 40);
    }

    #[test]
    fn measuring_stops_at_the_limit() {
        let nesting = measure(&"(".repeat(10_000));
        assert_eq!(nesting.depth, MAX_DEPTH + 1);
        assert!(nesting.deepest <= MAX_DEPTH);
    }

    #[test]
    fn the_longest_function_is_found() {
        let text = "fn f() { x = 1; } fn g() { y = a + b * 2; } fn h() { z(1, 2, 3, 4); }";
        let nesting = measure(text);
        assert_eq!(nesting.operands, 6);
        assert_eq!(&text[nesting.longest..nesting.longest + 4], "fn g");
        let long = format!(
            "fn f() {{ {} }}",
            "x = x + 1u; ".repeat(MAX_OPERANDS / 4 + 1)
        );
        assert_eq!(measure(&long).operands, MAX_OPERANDS + 1);
        let table = format!("fn f() {{ array({}1u) }}", "1u, ".repeat(MAX_OPERANDS + 1));
        assert!(measure(&table).operands < 10);
    }

    #[test]
    fn declarations_are_counted_at_module_scope() {
        let text = "const a = 1; fn f() { var x = 1; const y = 2; } struct S { a: u32 }";
        assert_eq!(measure(text).declarations, 3);
    }
}
