//! Compares output with what a document shows of it.
//!
//! Both are reduced to what every run on every machine has in common by the rules of [`MASKS`], line by line. Then they
//! must be equal line by line, where a shown line `...` stands for any number of lines. What always holds: one list
//! has all rules, and they apply to every command.

use std::sync::LazyLock;

use regex::Regex;

/// The machine on which the output in the documents was made.
const SHOWN_CPU: &str = "AMD EPYC";

/// What is masked, as a regular expression, and what replaces it. The order matters: later rules see earlier results.
const MASKS: &[(&str, &str)] = &[
    // Times.
    (r"\b[0-9]+(\.[0-9]+)? ?(ns|µs|us|ms|s)\b", "TIME"),
    // Batches adapt to the time that the ones before took.
    (r"\b[0-9]+ (batches|retries)\b", "N $1"),
    // Versions, with the commit and date of a toolchain.
    (
        r"\b[0-9]+\.[0-9]+\.[0-9]+( \([0-9a-f]{9} [0-9-]{10}\))?",
        "VERSION",
    ),
    // Absolute paths.
    (r"(^|\s)/[^\s:]+", "${1}PATH"),
    // The CPU's threads, and what follows from its vector extension.
    (r"^(ok +CPU +CPU), [0-9]+ threads$", "$1, N threads"),
    (
        r"on the CPU: (machine code|interpreted).*",
        "on the CPU: ENGINE",
    ),
    (r"^( +subgroups +of) .*", "$1 N"),
    // The driver, and what depends on its version: the last column of the table of conformance cases.
    (r"\bllvmpipe \([^()]*\)", "llvmpipe"),
    (r"^(\| .* \|) [0-9]+(, [0-9]+ left out)? \|$", "$1 N |"),
    // What the Rust compiler makes of a kernel.
    (r"^module [0-9]+ bytes", "module N bytes"),
];

/// A line with a speed-up, all of whose numbers are measured.
static SPEED_UP: LazyLock<Regex> = LazyLock::new(|| regex(r" [0-9.]+x( |$)"));
static MEASURED: LazyLock<Regex> = LazyLock::new(|| regex(r" ~?[0-9.]+x?"));
static SPACES: LazyLock<Regex> = LazyLock::new(|| regex(" +"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid pattern")
}

/// The names and patterns to replace on one machine.
pub(super) struct Machine {
    cpu: String,
    masks: Vec<(Regex, &'static str)>,
}

impl Machine {
    pub(super) fn new(cpu: &str) -> Self {
        let masks = MASKS.iter().map(|(pattern, mask)| (regex(pattern), *mask));
        Self {
            cpu: cpu.to_owned(),
            masks: masks.collect(),
        }
    }

    fn mask(&self, line: &str) -> String {
        let line = line.replace(&self.cpu, "CPU").replace(SHOWN_CPU, "CPU");
        let masked = self.masks.iter().fold(line, |line, (pattern, mask)| {
            pattern.replace_all(&line, *mask).into_owned()
        });
        let masked = if SPEED_UP.is_match(&masked) {
            MEASURED.replace_all(&masked, " N").into_owned()
        } else {
            masked
        };
        // Columns are as wide as their numbers.
        SPACES.replace_all(masked.trim_end(), " ").into_owned()
    }
}

/// Lines without what differs between runs and machines, and without empty lines at the end.
pub(super) fn masked<'a>(lines: impl Iterator<Item = &'a str>, machine: &Machine) -> Vec<String> {
    let mut masked: Vec<String> = lines.map(|line| machine.mask(line)).collect();
    while masked.last().is_some_and(String::is_empty) {
        masked.pop();
    }
    masked
}

/// Whether the lines are as shown.
pub(super) fn matches(shown: &[String], found: &[String]) -> bool {
    match shown.split_first() {
        None => found.is_empty(),
        Some((line, rest)) if line == "..." => {
            (0..=found.len()).any(|omitted| matches(rest, &found[omitted..]))
        }
        Some((line, rest)) => {
            let found = found.split_first().filter(|(found, _)| *found == line);
            found.is_some_and(|(_, found)| matches(rest, found))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(line: &str) -> String {
        Machine::new("Xeon").mask(line)
    }

    #[test]
    fn what_differs_between_runs_is_masked() {
        for (shown, found) in [
            (
                "256 iterations, 5 batches, 0 retries, 0.3 s",
                "256 iterations, 12 batches, 1 retries, 11.0 s",
            ),
            (
                "sort  1.27ms  1.97ms  63.09ms  equal",
                "sort  801.10µs  1.97s  2.00s  equal",
            ),
            (
                "scan  21.4  27.8x   46.2  12.9x  ~4278  0.139x  596",
                "scan  2.4  2.8x  4.2  1.9x  ~48  0.1x  5",
            ),
            (
                "ok  CPU              AMD EPYC, 2 threads",
                "ok  CPU              Xeon, 16 threads",
            ),
            (
                "ok  browser          /usr/bin/chromium",
                "ok  browser          /opt/google-chrome",
            ),
            (
                "cargo 1.95.0 (f2d3ce0bd 2026-03-21)",
                "cargo 1.97.1 (0123456ab 2026-09-02)",
            ),
            (
                "| f16 | 68 | 68 | 66, 2 left out |",
                "| f16 | 68 | 68 | 68 |",
            ),
            (
                "on the CPU: machine code (avx512, 16 lanes)",
                "on the CPU: interpreted: no AVX2",
            ),
        ] {
            assert_eq!(mask(shown), mask(found));
        }
    }

    #[test]
    fn results_are_not_masked() {
        for (shown, found) in [
            ("0:0 = [1, 0, 0, 3]", "0:0 = [1, 0, 0, 4]"),
            (
                "256 iterations, checksum c98e2bcd",
                "256 iterations, checksum c98e2bce",
            ),
            ("sort  1.27ms  equal", "sort  1.27ms  DIFFERENT"),
            ("scan  21.4  27.8x", "scam  21.4  27.8x"),
            ("| f16 | 68 | 68 | 66 |", "| f16 | 68 | 67 | 66 |"),
            (
                "ripples.png (256x256 heat, -1 to 1)",
                "ripples.png (256x255 heat, -1 to 1)",
            ),
            ("  on the CPU: machine code", "  on the GPU: machine code"),
        ] {
            assert_ne!(mask(shown), mask(found));
        }
    }

    #[test]
    fn dots_stand_for_any_lines() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let is_match = |shown: &str, found: &str| matches(&lines(shown), &lines(found));
        assert!(is_match("a", "a") && !is_match("a", "b") && !is_match("a", "a\nb"));
        assert!(is_match("...\nb", "x\ny\nb") && is_match("a\n...", "a") && is_match("...", ""));
        assert!(!is_match("...\nb", "x\ny") && !is_match("a ... c", "a b c"));
    }
}
