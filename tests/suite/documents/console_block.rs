//! Reads the console blocks of a Markdown file, and the command lines of its `sh` and `text` blocks.
//!
//! In: the text of a file. Out: each line that begins with `$`, and the lines up to the next one; each line of the other
//! blocks that begins with `anywarp`. What always holds:
//! every line of a console block belongs to a command, so nothing that a block shows is left out of the comparison.

/// A command of a document, and what the document shows of its output.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Example {
    /// File and line number.
    pub(super) place: String,
    pub(super) command: String,
    pub(super) output: Vec<String>,
}

/// The examples of a file, or a sentence about the first block that has none.
pub(super) fn read_examples(name: &str, text: &str) -> Result<Vec<Example>, String> {
    let mut examples: Vec<Example> = Vec::new();
    let mut is_console = false;
    let mut has_command = false;
    for (index, line) in text.lines().enumerate() {
        let place = format!("{name}:{}", index + 1);
        if line.starts_with("```") {
            is_console = line == "```console";
            has_command = false;
        } else if line.trim_start().starts_with("```console") {
            return Err(format!("{place}: an indented console block"));
        } else if is_console && let Some(command) = line.strip_prefix("$ ") {
            has_command = true;
            examples.push(Example {
                place,
                command: command.to_owned(),
                output: Vec::new(),
            });
        } else if is_console {
            let command = examples.last_mut().filter(|_| has_command);
            let command = command.ok_or(format!("{place}: a console block without a command"))?;
            command.output.push(line.to_owned());
        }
    }
    Ok(examples)
}

/// The lines of `sh` and `text` blocks that begin with `anywarp`, without comments, each with its place.
pub(super) fn read_command_lines(name: &str, text: &str) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    let mut is_command_block = false;
    let mut is_open = false;
    for (index, line) in text.lines().enumerate() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            is_open = !is_open;
            is_command_block = is_open && matches!(language, "sh" | "text");
        } else if is_command_block && line.starts_with("anywarp ") {
            let command = line.split(" #").next().unwrap_or(line).trim_end();
            lines.push((format!("{name}:{}", index + 1), command.to_owned()));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_belongs_to_the_command_before_it() {
        let text = "text\n```console\n$ one\n1\n\n$ two\n```\n$ three\n```text\n$ four\n```\n";
        let example = |place: &str, command: &str, output: &[&str]| Example {
            place: place.to_owned(),
            command: command.to_owned(),
            output: output.iter().map(|line| (*line).to_owned()).collect(),
        };
        let expected = vec![
            example("a.md:3", "one", &["1", ""]),
            example("a.md:6", "two", &[]),
        ];
        assert_eq!(read_examples("a.md", text), Ok(expected));
    }

    #[test]
    fn command_lines_of_other_blocks_are_found() {
        let text = "```sh\ncargo test\nanywarp bench --quick   # a smoke test\n```\nanywarp no\n```rust\nanywarp no\n```\n";
        let expected = ("a.md:3".to_owned(), "anywarp bench --quick".to_owned());
        assert_eq!(read_command_lines("a.md", text), [expected]);
    }

    #[test]
    fn lines_without_a_command_are_faults() {
        let second = "```console\n$ one\n```\n```console\n1\n```\n";
        let fault = "a.md:5: a console block without a command".to_owned();
        assert_eq!(read_examples("a.md", second), Err(fault));
        let indented = "- item\n  ```console\n  $ one\n  ```\n";
        let fault = "a.md:2: an indented console block".to_owned();
        assert_eq!(read_examples("a.md", indented), Err(fault));
    }
}
