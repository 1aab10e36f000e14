//! Validates WGSL modules with Tint, for tests of crates that do not depend on the browser driver.
//!
//! In: the purpose of the modules as the argument, and on standard input a JSON list of pairs (name, text). Out: on
//! standard error the number of valid modules, and Tint's messages about the others; exit code 1 if there are any.
//! Without a browser a skipped test is reported, and the exit code is 0.

use std::io::{Write, stderr, stdin};
use std::process::ExitCode;

use anywarp_tests::browser::{Browser, BrowserError, Severity, tint_check};

/// Modules in one request.
const AT_ONCE: usize = 64;

fn main() -> ExitCode {
    let what = std::env::args().nth(1).unwrap_or_default();
    match judge(&what) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say(&format!("{what}: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn judge(what: &str) -> anyhow::Result<bool> {
    let modules: Vec<(String, String)> = serde_json::from_reader(stdin().lock())?;
    let Some(browser) = Browser::launch_for(what) else {
        return Ok(true);
    };
    let mut refused = 0;
    for some in modules.chunks(AT_ONCE) {
        for line in wrong(&browser, some)? {
            say(&line);
            refused += 1;
        }
    }
    let (taken, all) = (modules.len() - refused, modules.len());
    say(&format!("{what}: takes {taken} of {all}"));
    Ok(refused == 0)
}

/// A line for each module that Tint rejects.
fn wrong(browser: &Browser, modules: &[(String, String)]) -> Result<Vec<String>, BrowserError> {
    let given = modules.iter();
    let given: Vec<_> = given.map(|(name, text)| (&**name, &**text)).collect();
    let answers = tint_check(browser, &given)?;
    let lines = given.iter().zip(answers).filter_map(|((name, _), answer)| {
        let messages = answer.err()?;
        let error = messages.iter().find(|it| it.severity == Severity::Error);
        Some(format!("{name}: {}", error.map_or("", |it| &it.text)))
    });
    Ok(lines.collect())
}

/// If standard error is closed, the message is lost.
fn say(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}
