//! GLSL front end: naga's, with checks around it.
//!
//! In: GLSL text (Vulkan's dialect, versions 440 to 460) and its shader stage. Out: a module, or a diagnostic in GLSL's
//! terms. What always holds: macro expansion is bounded before it is done, and the expanded text is measured, so naga
//! neither overflows the stack nor runs without end; constructs that naga translates incorrectly are refused or
//! corrected (`layout_macros`, `do_while`, `evaluation_order`, `switch_fallthrough`).

mod do_while;
mod effects;
mod evaluation_order;
mod layout_macros;
mod macros;
mod parse_error;
mod switch_fallthrough;
mod tokens;

use std::ops::Range;

use naga::front::glsl::{Frontend, Options, ParseErrors};
use naga::{AddressSpace, Module, ShaderStage, StorageAccess};
use pp_rs::pp::Preprocessor;
use pp_rs::token::TokenValue;

use crate::naga_call::NagaCallError;
use crate::nesting::{self, Grammar, MAX_DEPTH, Nesting};
use crate::tokenizer::Token;
use crate::{
    Diagnostic, ProgramError, Source, check_bytes, check_length, naga_call, size_limits, too_deep,
};

use macros::ExpansionBounds;

/// Maximal number of tokens after macro expansion.
const MAX_TOKENS: u64 = 1 << 21;

/// Stack of one level of GLSL, in levels of WGSL: naga's parser has a function per precedence level.
const LEVELS: usize = 8;

/// Parses a text. Returns the module and its nesting.
pub(crate) fn parse(
    source: &Source,
    stage: ShaderStage,
) -> Result<(Module, Nesting), ProgramError> {
    check_bytes(source)?;
    let text = without_mark(source.text());
    let (nesting, preprocessing) = check(&text, source)?;
    let stack = nesting_of_depth(preprocessing + nesting.depth * LEVELS);
    let mut module = naga_call::run(&stack, || read(&text, stage, source))
        .map_err(|error| panicked(error, source))??;
    let_buffers_be_read(&mut module);
    Ok((module, nesting))
}

/// The error for a panic of naga: its front end panics for types over the size limit that `size_limits` did not find.
fn panicked(error: NagaCallError, source: &Source) -> ProgramError {
    if let NagaCallError::Panic(message) = &error
        && message.contains("LayoutError")
        && message.contains("TooLarge")
    {
        return ProgramError::TooLarge(format!(
            "type is too large: {} has an array of more than {} bytes",
            source.name(),
            naga::valid::MAX_TYPE_SIZE
        ));
    }
    error.into()
}

/// Parses a text with naga, and corrects or refuses what naga reads differently than GLSL.
fn read(text: &str, stage: ShaderStage, source: &Source) -> Result<Module, Diagnostic> {
    let tokens = tokens::Tokens::of(text);
    let mut options = layout_macros::options(&tokens, stage, source)?;
    let parse = |options: &Options| {
        let module = Frontend::default().parse(options, text);
        module.map_err(|errors| diagnostic(&errors, source))
    };
    let mut module = parse(&options)?;
    if let [entry_point] = &module.entry_points[..]
        && layout_macros::lacks_workgroup_size(&options, &tokens)
    {
        // naga has evaluated the expressions in the layout qualifier.
        layout_macros::define_workgroup_size(&mut options, &tokens, entry_point.workgroup_size);
        module = parse(&options)?;
    }
    do_while::check(&tokens, source)?;
    evaluation_order::check(&tokens, &module, source)?;
    switch_fallthrough::count_empty_cases(&mut module);
    Ok(module)
}

/// Makes `writeonly` buffers readable: WGSL and naga have no write-only buffers.
fn let_buffers_be_read(module: &mut Module) {
    for (_, variable) in module.global_variables.iter_mut() {
        if let AddressSpace::Storage { access } = &mut variable.space {
            access.insert(StorageAccess::LOAD);
        }
    }
}

/// Replaces a byte order mark by blanks: naga reads it as a stray character.
fn without_mark(text: &str) -> std::borrow::Cow<'_, str> {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => format!("   {rest}").into(),
        None => text.into(),
    }
}

/// Refuses texts that are too large or nested too deeply, before and after macro expansion. Returns the nesting after
/// expansion, and the stack levels needed for the expansion.
fn check(text: &str, source: &Source) -> Result<(Nesting, usize), ProgramError> {
    let plain = macros::without_comments(text)
        .map_err(|error| ProgramError::TooLarge(format!("{} {error}", source.name())))?;
    let nesting = nesting::measure_glsl(&plain);
    if nesting.depth > MAX_DEPTH {
        // Measured again with comments, to get an offset in the user's text.
        let place = nesting::measure_glsl(text).deepest;
        return Err(too_deep(place, source).into());
    }
    let over = |exceeded: macros::MacroLimitExceeded<'_>| {
        let place = exceeded
            .location
            .find(text)
            .map(|range| (range, String::new()));
        Diagnostic::new(&exceeded.message, place, Vec::new(), Some(source))
    };
    let ExpansionBounds { levels } = macros::expansion(&plain, MAX_TOKENS).map_err(over)?;
    let preprocessing = (levels + 1) * (nesting.depth + 1);
    let stack = nesting_of_depth(preprocessing);
    let expanded = naga_call::run(&stack, || expanded(text))?;
    match expanded {
        Err(place) => {
            let message =
                format!("the program has more than {MAX_TOKENS} tokens after macro expansion");
            let place = [(place, String::new())];
            Err(Diagnostic::new(&message, place, Vec::new(), Some(source)).into())
        }
        Ok((nesting, _)) if nesting.depth > MAX_DEPTH => {
            Err(too_deep(nesting.deepest, source).into())
        }
        Ok((nesting, tokens)) => {
            check_length(&nesting, source)?;
            size_limits::check_glsl(source, &nesting_of_depth(nesting.depth), &tokens)?;
            Ok((nesting, preprocessing))
        }
    }
}

/// A nesting of a given depth, to reserve stack for it.
fn nesting_of_depth(depth: usize) -> Nesting {
    Nesting {
        depth,
        ..Nesting::default()
    }
}

/// The nesting and the tokens after macro expansion; the range of the last token if there are too many.
fn expanded(text: &str) -> Result<(Nesting, Vec<Token<'_>>), Range<usize>> {
    let mut count = 0;
    let tokens: Vec<_> = Preprocessor::new(text)
        .take_while(|_| {
            count += 1;
            count <= MAX_TOKENS
        })
        // naga meets the same errors and reports them.
        .filter_map(Result::ok)
        .filter(|token| {
            !matches!(
                token.value,
                TokenValue::Version(_) | TokenValue::Extension(_) | TokenValue::Pragma(_)
            )
        })
        .filter_map(|token| {
            let start = token.location.start as usize;
            let text = text.get(start..token.location.end as usize)?;
            Some(Token { start, text })
        })
        .collect();
    if count > MAX_TOKENS {
        return Err(tokens.last().map_or(0..1, |token| token.start..token.end()));
    }
    let nesting = nesting::measure_tokens(tokens.iter().copied(), Grammar::Glsl);
    Ok((nesting, tokens))
}

/// naga's first error; later ones often follow from it.
fn diagnostic(errors: &ParseErrors, source: &Source) -> Diagnostic {
    let Some(error) = errors.errors.first() else {
        return Diagnostic::new("the text was refused", [], Vec::new(), Some(source));
    };
    // Something missing has no location; the report still names the file.
    let place = error.meta.to_range().unwrap_or(0..1);
    let found = error
        .meta
        .to_range()
        .and_then(|range| source.text().get(range));
    let (message, notes) = parse_error::describe(&error.kind, found);
    Diagnostic::new(&message, [(place, String::new())], notes, Some(source))
}
