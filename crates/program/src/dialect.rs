//! Bridges WebGPU's and naga's dialect of WGSL: naga refuses directives and attributes that WebGPU requires.
//!
//! In: WGSL in either dialect. Out: text that naga's front end accepts. What always holds: the output has the same
//! length and differs only in blanks, so all byte offsets, and thus all diagnostics, stay valid. Only extensions that
//! naga always provides are blanked; naga reports unknown names.

mod attributes;

use std::borrow::Cow;
use std::ops::Range;

use crate::tokenizer::{Token, Tokens};

/// `enable` extensions that naga always provides, but refuses to see enabled.
const ALWAYS_ENABLED: &[&str] = &["subgroups"];

/// `requires` features that naga always provides, but does not know by name.
const ALWAYS_PROVIDED: &[&str] = &[
    "immediate_address_space",
    "subgroup_id",
    "subgroup_uniformity",
    "texture_and_sampler_let",
    "texture_formats_tier1",
    "unrestricted_pointer_parameters",
];

/// Byte order mark, which editors add at the start of a file and naga reads as a stray token.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Text of the same length that naga's front end accepts.
pub(crate) fn to_naga(wgsl: &str) -> Cow<'_, str> {
    let mut blanks: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    if wgsl.starts_with(BYTE_ORDER_MARK) {
        start = BYTE_ORDER_MARK.len_utf8();
        blanks.push(0..start);
    }

    let mut tokens = Tokens::new(&wgsl[start..]).map(|token| Token {
        start: token.start + start,
        ..token
    });
    while let Some(keyword) = tokens.next() {
        let refused = match keyword.text {
            "enable" => ALWAYS_ENABLED,
            "requires" => ALWAYS_PROVIDED,
            "diagnostic" => &[],
            // The first declaration: no directives after it.
            _ => break,
        };
        let Some(directive) = rest_of_directive(&mut tokens) else {
            break;
        };
        if !refused.is_empty() {
            blank_names(keyword, &directive, refused, &mut blanks);
        }
    }

    blanks.extend(attributes::of_statements(wgsl));
    if blanks.is_empty() {
        return Cow::Borrowed(wgsl);
    }
    let mut text = wgsl.to_owned();
    for range in blanks {
        let spaces = " ".repeat(range.len());
        text.replace_range(range, &spaces);
    }
    Cow::Owned(text)
}

/// The tokens up to and including the semicolon; `None` if there is none.
fn rest_of_directive<'a>(tokens: &mut impl Iterator<Item = Token<'a>>) -> Option<Vec<Token<'a>>> {
    let mut directive = Vec::new();
    for token in tokens {
        directive.push(token);
        if token.text == ";" {
            return Some(directive);
        }
    }
    None
}

/// Collects the ranges to blank so that the `refused` names disappear and the list stays well-formed.
fn blank_names(
    keyword: Token<'_>,
    directive: &[Token<'_>],
    refused: &[&str],
    blanks: &mut Vec<Range<usize>>,
) {
    let is_list = directive.chunks(2).all(|pair| {
        matches!(pair, [name, separator] if name.is_word() && matches!(separator.text, "," | ";"))
            || matches!(pair, [end] if end.text == ";")
    });
    let is_refused = |token: &Token<'_>| refused.contains(&token.text);
    if !is_list || !directive.iter().any(is_refused) {
        // naga reports malformed directives.
        return;
    }
    if directive.iter().all(|t| !t.is_word() || is_refused(t)) {
        blanks.push(keyword.start..keyword.end());
        blanks.extend(directive.iter().map(|t| t.start..t.end()));
        return;
    }
    // Each refused name is blanked with the comma after it. The last name has none; the comma before it may stay,
    // because WGSL and naga allow a trailing comma.
    for pair in directive.chunks(2).filter(|pair| is_refused(&pair[0])) {
        let goes = pair.iter().filter(|token| token.text != ";");
        blanks.extend(goes.map(|token| token.start..token.end()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Program;

    /// Each row: the user's text and the text for naga.
    const CASES: &[(&str, &str)] = &[
        ("fn f() {}", "fn f() {}"),
        ("enable f16;", "enable f16;"),
        (
            "enable subgroups;\nfn f() {}",
            "                 \nfn f() {}",
        ),
        ("enable f16, subgroups;", "enable f16,          ;"),
        ("enable subgroups, f16;", "enable            f16;"),
        ("enable subgroups,;", "                  "),
        (
            "enable f16; // ok\n/* enable subgroups; /* */ */ enable subgroups;",
            "enable f16; // ok\n/* enable subgroups; /* */ */                  ",
        ),
        ("enable /* why */ subgroups;", "       /* why */           "),
        (
            "requires subgroup_id, pointer_composite_access;",
            "requires              pointer_composite_access;",
        ),
        (
            "diagnostic(off, derivative_uniformity);\nenable subgroups;",
            "diagnostic(off, derivative_uniformity);\n                 ",
        ),
        ("\u{feff}enable subgroups;", "                    "),
        // Unknown, malformed or misplaced: naga reports it.
        ("enable telepathy;", "enable telepathy;"),
        ("enable subgroups f16;", "enable subgroups f16;"),
        ("enable subgroups", "enable subgroups"),
        ("enable ,subgroups;", "enable ,subgroups;"),
        ("fn f() {} enable subgroups;", "fn f() {} enable subgroups;"),
        ("// enable subgroups;", "// enable subgroups;"),
    ];

    #[test]
    fn only_refused_names_are_blanked() {
        for (wgsl, expected) in CASES {
            assert_eq!(&to_naga(wgsl), expected, "{wgsl}");
        }
    }

    #[test]
    fn text_without_directives_is_not_copied() {
        assert!(matches!(to_naga("fn f() {}"), Cow::Borrowed(_)));
    }

    /// Each name in the tables must be refused by naga, and provided without being enabled.
    #[test]
    fn blanked_features_work() {
        for name in ALWAYS_ENABLED {
            naga::front::wgsl::parse_str(&format!("enable {name};")).unwrap_err();
        }
        for name in ALWAYS_PROVIDED {
            naga::front::wgsl::parse_str(&format!("requires {name};")).unwrap_err();
        }
        let uses = [
            "enable subgroups; @compute @workgroup_size(64) fn f(@builtin(subgroup_size) n: u32) {
                 _ = subgroupAdd(n); }",
            "enable f16, subgroups; @compute @workgroup_size(64) fn f() { _ = subgroupMax(1.0h); }",
            "requires subgroup_id; enable subgroups;
             @compute @workgroup_size(64) fn f(@builtin(subgroup_id) n: u32) { _ = n; }",
            "requires subgroup_uniformity; enable subgroups;
             @compute @workgroup_size(64) fn f(@builtin(subgroup_invocation_id) n: u32) {
                 if n == 0 { _ = subgroupAdd(n); } }",
            "requires immediate_address_space; var<immediate> n: u32;
             @compute @workgroup_size(1) fn f() { _ = n; }",
            "requires texture_and_sampler_let;
             @group(0) @binding(0) var t: texture_2d<f32>;
             @compute @workgroup_size(1) fn f() { let u = t; _ = textureLoad(u, vec2(0), 0); }",
            "requires texture_formats_tier1;
             @group(0) @binding(0) var t: texture_storage_2d<r8unorm, write>;
             @compute @workgroup_size(1) fn f() { textureStore(t, vec2(0), vec4(1.0)); }",
            "requires unrestricted_pointer_parameters; var<workgroup> tile: array<u32, 8>;
             fn g(p: ptr<workgroup, u32>) -> u32 { return *p; }
             @compute @workgroup_size(1) fn f() { _ = g(&tile[1]); }",
        ];
        for wgsl in uses {
            Program::from_wgsl(wgsl).unwrap();
        }
    }

    #[test]
    fn unknown_names_are_reported_by_name() {
        for (wgsl, name) in [
            ("enable subgroups, telepathy;", "telepathy"),
            ("requires mind_reading;", "mind_reading"),
        ] {
            let error = Program::from_wgsl(wgsl).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}
