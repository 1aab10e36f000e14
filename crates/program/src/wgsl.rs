//! WGSL front end: naga's, with a retry on rewritten text.
//!
//! In: a source. Out: a validated program, or the most helpful diagnostic. What always holds: text that naga accepts is
//! parsed once and unchanged; otherwise rewrites from `concretize` are tried a bounded number of times; locations in
//! diagnostics are those of the user's text.

use std::collections::HashSet;
use std::sync::Arc;

use crate::concretize::{self, RewrittenText};
use crate::diagnostic::{Diagnostic, FRONT_END_LIMIT};
use crate::naga_call::{self, NagaCallError};
use crate::nesting::Nesting;
use crate::{Program, ProgramError, Source, Wgsl, dialect, size_limits, too_deep};

/// Maximal number of rewrites.
const MAX_REWRITES: usize = 64;

/// Why naga refused a text, and whether a rewrite may help.
struct ParseFailure {
    error: ProgramError,
    kind: FailureKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FailureKind {
    /// A value has no concrete type, possibly because naga did not evaluate it.
    Abstract,
    /// A constant expression that naga cannot evaluate.
    Unevaluated,
    Other,
}

/// Parses and validates a source.
pub(crate) fn read(source: &Arc<Source>, nesting: &Nesting) -> Result<Program, ProgramError> {
    let text = dialect::to_naga(source.text());
    let first = match attempt(source, &text, &[], nesting) {
        Ok(program) => return Ok(program),
        Err(failure) => failure,
    };
    let mut rewritten = RewrittenText {
        text: text.into_owned(),
        ..RewrittenText::default()
    };
    let mut last = None;
    for _ in 0..MAX_REWRITES {
        let Some(next) = rewrite(&rewritten, last.as_ref().unwrap_or(&first)) else {
            break;
        };
        rewritten = next;
        match attempt(source, &rewritten.text, &rewritten.names, nesting) {
            Ok(program) => return Ok(program),
            Err(failure) => last = Some(failure),
        }
    }
    let error = more_telling(first, last, &rewritten, source);
    // naga gives no location for most types.
    let is_placeless =
        |diagnostic: &Diagnostic| diagnostic.place().is_none() && is_too_large(diagnostic);
    match error
        .diagnostic()
        .filter(|diagnostic| is_placeless(diagnostic))
    {
        Some(_) => Err(size_limits::large_wgsl_array(source).map_or(error, ProgramError::from)),
        None => Err(error),
    }
}

fn is_too_large(diagnostic: &Diagnostic) -> bool {
    diagnostic.message().starts_with("type is too large")
}

/// Parses `text`, which has the same offsets as the source. The constants named in `unnamed` lose their names.
fn attempt(
    source: &Arc<Source>,
    text: &str,
    unnamed: &[String],
    nesting: &Nesting,
) -> Result<Program, ParseFailure> {
    let internal = |error: NagaCallError| ParseFailure {
        error: error.into(),
        kind: FailureKind::Other,
    };
    let parsed =
        naga_call::run(nesting, || naga::front::wgsl::parse_str(text)).map_err(internal)?;
    let mut module = parsed.map_err(|error| ParseFailure {
        kind: kind(error.message()),
        error: refusal(&error, source, nesting).into(),
    })?;
    let unnamed: HashSet<&String> = unnamed.iter().collect();
    for (_, constant) in module.constants.iter_mut() {
        constant.name.take_if(|name| unnamed.contains(name));
    }
    // The text is stored only if it differs from the user's.
    let wgsl = Wgsl::Source((text != source.text()).then(|| text.into()));
    Program::validated(module, Some(source.clone()), wgsl, nesting).map_err(|error| ParseFailure {
        kind: kind(error.diagnostic().map_or("", Diagnostic::message)),
        error,
    })
}

fn kind(message: &str) -> FailureKind {
    let message = message.to_lowercase();
    if message.contains("to a concrete type") || message.contains("abstract types may only appear")
    {
        FailureKind::Abstract
    } else if message.contains("not implemented as constant expression") {
        FailureKind::Unevaluated
    } else {
        FailureKind::Other
    }
}

fn refusal(
    error: &naga::front::wgsl::ParseError,
    source: &Source,
    nesting: &Nesting,
) -> Diagnostic {
    // naga reports its own limit of nested brackets without a location.
    if error.notes().any(|note| note.contains("recursion limit")) {
        too_deep(nesting.deepest, source)
    } else {
        Diagnostic::from_parse(error, source)
    }
}

/// A rewrite of the rejected text that naga may accept; `None` if no rewrite applies.
fn rewrite(before: &RewrittenText, failure: &ParseFailure) -> Option<RewrittenText> {
    let mut next = match failure.kind {
        FailureKind::Abstract if before.names.is_empty() && !before.has_inexact => {
            concretize::calls(&before.text)?
        }
        // An expression that uses a constant turned into a variable cannot be constant either.
        FailureKind::Other if !before.has_let => return None,
        FailureKind::Abstract => return None,
        FailureKind::Unevaluated | FailureKind::Other => {
            let place = failure.error.diagnostic()?.place()?;
            concretize::statement(&before.text, place)?
        }
    };
    next.names.extend_from_slice(&before.names);
    next.places.extend_from_slice(&before.places);
    next.has_let |= before.has_let;
    next.has_inexact |= before.has_inexact;
    Some(next)
}

/// The first error, unless the last one is outside the rewritten statements.
fn more_telling(
    first: ParseFailure,
    last: Option<ParseFailure>,
    rewritten: &RewrittenText,
    source: &Source,
) -> ProgramError {
    let is_limit = last.is_some() || first.kind == FailureKind::Unevaluated;
    let is_elsewhere = |failure: &ParseFailure| {
        let place = failure.error.diagnostic().and_then(Diagnostic::place);
        let is_same = |place| concretize::shares_statement(source.text(), place, &rewritten.places);
        failure.kind == FailureKind::Other && place.is_some_and(|place| !is_same(place))
    };
    if let Some(failure) = last.filter(is_elsewhere) {
        return failure.error;
    }
    match first.error {
        ProgramError::Invalid(diagnostic) if is_limit => {
            diagnostic.with_note(FRONT_END_LIMIT, source).into()
        }
        error => error,
    }
}
