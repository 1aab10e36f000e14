//! Validates WGSL modules with Tint, for tests of crates that do not depend on the browser driver
//! (`tests/support/src/tint.rs` runs it).
//!
//! In: the purpose of the modules as the argument, and on standard input a JSON list of pairs (name, text). Out: on
//! standard output a JSON list of pairs (name, first error) of the modules that Tint rejects, or `null` without a
//! browser, which is reported as a skipped test; on standard error the number of valid modules.

use std::io::{Write, stderr, stdin, stdout};
use std::process::ExitCode;

use anywarp_browser_tests::{Browser, BrowserError, Severity, tint_check};

/// Modules in one request.
const AT_ONCE: usize = 64;

/// Pairs of a module's name and its text, or Tint's message about it.
type Named = Vec<(String, String)>;

fn main() -> ExitCode {
    let what = std::env::args().nth(1).unwrap_or_default();
    match validate(&what) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("{what}: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn validate(what: &str) -> anyhow::Result<()> {
    let modules: Named = serde_json::from_reader(stdin().lock())?;
    let rejected = match Browser::launch_for(what) {
        None => None,
        Some(browser) => {
            let chunks = modules.chunks(AT_ONCE);
            let rejected = chunks.map(|modules| rejections(&browser, modules));
            let rejected = rejected.collect::<Result<Vec<_>, _>>()?.concat();
            let (accepted, all) = (modules.len() - rejected.len(), modules.len());
            say(&format!("{what}: accepts {accepted} of {all}"));
            Some(rejected)
        }
    };
    serde_json::to_writer(stdout().lock(), &rejected)?;
    Ok(())
}

/// The modules that Tint rejects, each with its first error.
fn rejections(browser: &Browser, modules: &[(String, String)]) -> Result<Named, BrowserError> {
    let programs: Vec<_> = modules
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let results = tint_check(browser, &programs)?;
    let rejected = modules
        .iter()
        .zip(results)
        .filter_map(|((name, _), result)| {
            let messages = result.err()?;
            let error = messages
                .into_iter()
                .find(|message| message.severity == Severity::Error);
            Some((
                name.clone(),
                error.map_or(String::new(), |error| error.text),
            ))
        });
    Ok(rejected.collect())
}

/// If standard error is closed, the message is lost.
fn say(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}
