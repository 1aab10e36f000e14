//! The gallery's page: one HTML file with a card for each example, which refers only to files of its folder.
//!
//! In: what became of each example. Out: `index.html`. Sources are part of the page, folded; pictures are files next to it.

use std::fmt::Write;
use std::time::Duration;

use super::card::{Card, State};
use super::sources;

/// What the head of the page says.
pub(super) struct Head {
    /// The device's name.
    pub(super) device: String,
    /// The command that makes the page.
    pub(super) command: String,
    pub(super) total: Duration,
}

/// The text of the page.
pub(super) fn page(head: &Head, cards: &[Card]) -> String {
    let mut html = String::new();
    // Writing to a string cannot fail.
    let _ = write_page(&mut html, head, cards);
    html
}

fn write_page(html: &mut String, head: &Head, cards: &[Card]) -> std::fmt::Result {
    let style = include_str!("page.css");
    let (device, command) = (escape(&head.device), escape(&head.command));
    let (version, counts) = (env!("CARGO_PKG_VERSION"), escape(&counts(cards)));
    let total = duration(head.total);
    write!(
        html,
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Anywarp gallery</title>\n<style>\n{style}</style>\n\
         <header>\n<h1>Anywarp gallery</h1>\n\
         <p>{counts} on <strong>{device}</strong> in {total}, with anywarp {version}</p>\n\
         <p><code>{command}</code> makes this page. The commands below run in its folder.</p>\n\
         </header>\n<main>\n"
    )?;
    for card in cards {
        write_card(html, card)?;
    }
    writeln!(
        html,
        "</main>\n<footer>A time is that of all dispatches of an example, without compiling and without reading back.</footer>\n</html>"
    )
}

fn counts(cards: &[Card]) -> String {
    let count = |is: fn(&State) -> bool| cards.iter().filter(|card| is(&card.state)).count();
    let done = count(|state| matches!(state, State::Done { .. }));
    let skipped = count(|state| matches!(state, State::Skipped(_)));
    let failed = count(|state| matches!(state, State::Failed(_)));
    let plural = if done == 1 { "" } else { "s" };
    let mut text = format!("{done} example{plural} ran");
    for (number, what) in [(skipped, "skipped"), (failed, "failed")] {
        if number > 0 {
            text += &format!(", {number} {what}");
        }
    }
    text
}

fn write_card(html: &mut String, card: &Card) -> std::fmt::Result {
    let example = card.example;
    let (name, capability, about) = (
        example.name,
        escape(example.capability),
        escape(example.about),
    );
    writeln!(html, "<article id=\"{name}\">")?;
    write_shown(html, card)?;
    let time = match &card.state {
        State::Done { measured, .. } => duration(measured.run),
        State::Skipped(_) => "skipped".to_owned(),
        State::Failed(_) => "failed".to_owned(),
    };
    writeln!(
        html,
        "<div class=\"body\">\n<div class=\"title\"><h2>{name}</h2><span class=\"tag\">{capability}</span>\
         <span class=\"time\">{time}</span></div>\n<p>{about}</p>"
    )?;
    match &card.state {
        State::Done { measured, .. } => {
            if let Some(engine) = &measured.engine {
                writeln!(html, "<p class=\"engine\">{}</p>", escape(engine))?;
            }
            if let Some(verified) = &measured.verified {
                writeln!(
                    html,
                    "<p class=\"verified\">✓ verified: {}</p>",
                    escape(verified)
                )?;
            }
        }
        State::Skipped(reason) => {
            writeln!(html, "<p class=\"skipped\">skipped: {}</p>", escape(reason))?;
        }
        State::Failed(message) => {
            writeln!(html, "<p class=\"failed\">failed: {}</p>", escape(message))?;
        }
    }
    let commands: Vec<String> = card
        .commands
        .iter()
        .map(|line| format!("$ {}", escape(line)))
        .collect();
    writeln!(
        html,
        "<pre class=\"commands\">{}</pre>",
        commands.join("\n")
    )?;
    for (path, text) in card.texts() {
        write_text(html, path, text)?;
    }
    writeln!(html, "</div>\n</article>")
}

/// The picture, or the values, or the beginning of the first text.
fn write_shown(html: &mut String, card: &Card) -> std::fmt::Result {
    let State::Done {
        picture,
        measured,
        written,
    } = &card.state
    else {
        return Ok(());
    };
    if let Some(picture) = picture {
        let (file, [width, height]) = (escape(picture.file), picture.size);
        return writeln!(
            html,
            "<a class=\"shown\" href=\"{file}\"><img src=\"{file}\" width=\"{width}\" height=\"{height}\" alt=\"{}\"></a>",
            escape(card.example.about)
        );
    }
    let text = match written.last() {
        Some((_, text)) => text.lines().take(30).collect::<Vec<_>>().join("\n"),
        None => measured.printed.join("\n"),
    };
    writeln!(
        html,
        "<div class=\"shown\"><pre>{}</pre></div>",
        escape(&text)
    )
}

fn write_text(html: &mut String, path: &str, text: &str) -> std::fmt::Result {
    let name = escape(path);
    writeln!(
        html,
        "<details><summary>{name}</summary><pre>{}</pre><a href=\"{name}\">the file</a></details>",
        escape(text)
    )
}

impl Card {
    /// The texts of the card with their paths: sources, then what was written.
    fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.example.files.iter();
        let sources = files.map(|path| (*path, sources::text(path)));
        let written: &[(&str, String)] = match &self.state {
            State::Done { written, .. } => written,
            _ => &[],
        };
        let written = written.iter().map(|(name, text)| (*name, text.as_str()));
        sources.filter(|(_, text)| !text.is_empty()).chain(written)
    }
}

/// A time with three digits.
pub(super) fn duration(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1e3;
    match milliseconds {
        ms if ms >= 9999.5 => format!("{:.1} s", ms / 1e3),
        ms if ms >= 999.5 => format!("{:.2} s", ms / 1e3),
        ms if ms >= 99.95 => format!("{ms:.0} ms"),
        ms if ms >= 9.995 => format!("{ms:.1} ms"),
        ms => format!("{ms:.2} ms"),
    }
}

/// Text as HTML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_contain_markup() {
        assert_eq!(escape("<a href=\"&\">"), "&lt;a href=&quot;&amp;&quot;&gt;");
    }

    #[test]
    fn times_have_three_digits() {
        let text = |microseconds| duration(Duration::from_micros(microseconds));
        let times = [50, 1_234, 12_345, 123_456, 1_234_567, 12_345_678].map(text);
        assert_eq!(
            times,
            [
                "0.05 ms", "1.23 ms", "12.3 ms", "123 ms", "1.23 s", "12.3 s"
            ]
        );
    }
}
