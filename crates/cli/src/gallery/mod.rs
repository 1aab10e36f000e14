//! `anywarp gallery`: lists the examples that are embedded in the command, and runs them into a folder with a page.
//!
//! In: names of examples. Out: pictures, sources and `index.html` in a folder. `table` has the examples; `commands` runs
//! those that are lines of commands, `particle_grid` and `deep_zoom` are programs that use the library; `checks` verifies
//! results, and `page` writes the page. What always holds: a failing example does not stop the others.

mod args;
mod card;
mod checks;
mod commands;
mod deep_zoom;
mod example;
mod failure;
mod page;
mod particle_grid;
mod picture;
mod sources;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub(crate) use args::GalleryArgs;
use card::{Card, State};
use example::{Example, Place, Size};

use crate::cli::CpuArgs;
use crate::console;
use crate::device;
use crate::error::Error;
use crate::specs::edit_distance;

/// Runs the command.
pub(crate) fn gallery(args: &GalleryArgs) -> Result<(), Error> {
    if args.names.is_empty() {
        return list();
    }
    let chosen = choose(&args.names)?;
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from("gallery"));
    let place = Place {
        adapter: device::select(&args.device, &CpuArgs::default())?,
        device: args.device.clone(),
        size: if args.quick { Size::Quick } else { Size::Full },
        folder,
    };
    make_folder(&place.folder)?;

    let started = Instant::now();
    let mut cards = Vec::new();
    for example in &chosen {
        let card = card::run(example, &place);
        console::result(&line(&card))?;
        cards.push(card);
    }
    let head = page::Head {
        device: place.adapter.get_info().name,
        command: place.command(&args.names),
        total: started.elapsed(),
    };
    let index = place.folder.join("index.html");
    fs::write(&index, page::page(&head, &cards)).map_err(|source| Error::Write {
        path: index.clone(),
        source,
    })?;
    console::result(&index.display().to_string())?;
    let failed = cards
        .iter()
        .filter(|card| matches!(card.state, State::Failed(_)))
        .count();
    match failed {
        0 => Ok(()),
        failed => Err(Error::ExamplesFailed {
            failed,
            all: cards.len(),
        }),
    }
}

fn list() -> Result<(), Error> {
    let width = table::ALL.iter().map(|example| example.name.len()).max();
    let width = width.unwrap_or(0);
    for example in table::ALL {
        let Example {
            name,
            capability,
            about,
            ..
        } = example;
        console::result(&format!(
            "{name:width$}  {capability}\n{:width$}  {about}",
            ""
        ))?;
    }
    console::note("\n`anywarp gallery NAME..` runs some of them, `anywarp gallery all` all");
    Ok(())
}

/// The named examples in the order of the table.
fn choose(names: &[String]) -> Result<Vec<&'static Example>, Error> {
    let is_known =
        |name: &&String| *name == "all" || table::ALL.iter().any(|example| example.name == *name);
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        return Err(Error::UnknownExample {
            name: name.clone(),
            close: close_names(name),
        });
    }
    let is_chosen = |example: &&Example| {
        names
            .iter()
            .any(|name| name == "all" || name == example.name)
    };
    Ok(table::ALL.iter().filter(is_chosen).collect())
}

/// The names that are similar to a misspelled one, in backquotes.
fn close_names(wrong: &str) -> Vec<String> {
    let wrong = wrong.to_lowercase();
    let is_close = |name: &str| {
        let is_part = wrong.len() > 2 && (name.contains(&wrong) || wrong.contains(name));
        is_part || edit_distance(&wrong, name) <= name.len().min(wrong.len()) / 3
    };
    let names = table::ALL.iter().map(|example| example.name).chain(["all"]);
    names
        .filter(|name| is_close(name))
        .map(|name| format!("`{name}`"))
        .collect()
}

fn make_folder(folder: &Path) -> Result<(), Error> {
    if folder.exists() && !folder.is_dir() {
        return Err(Error::UnsupportedOutput {
            path: folder.to_owned(),
            reason: "it is a file, not a folder".to_owned(),
        });
    }
    fs::create_dir_all(folder).map_err(|source| Error::Write {
        path: folder.to_owned(),
        source,
    })
}

/// A line about an example that has run.
fn line(card: &Card) -> String {
    let name = card.example.name;
    match &card.state {
        State::Done {
            measured, picture, ..
        } => {
            let time = page::duration(measured.run);
            let result = match picture {
                Some(picture) => picture.file.to_owned(),
                None => String::new(),
            };
            format!("{name:<14} {time:>8}  {result}")
                .trim_end()
                .to_owned()
        }
        State::Skipped(reason) => format!("{name:<14}  skipped  {reason}"),
        State::Failed(message) => format!("{name:<14}   failed  {message}"),
    }
}

impl Place {
    /// The command that runs examples at this place.
    fn command(&self, names: &[String]) -> String {
        let mut words = vec!["anywarp gallery".to_owned()];
        words.extend(names.iter().cloned());
        if self.device != "cpu" {
            words.push(format!("--device {}", commands::quoted(&self.device)));
        }
        if self.size == Size::Quick {
            words.push("--quick".to_owned());
        }
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_names_are_recognised() {
        assert_eq!(close_names("mandelbrod"), ["`mandelbrot`"]);
        assert_eq!(close_names("Particle"), ["`particle-grid`", "`particles`"]);
        assert_eq!(close_names("xyzzy"), [""; 0]);
    }
}
