//! `anywarp completions` and `anywarp man`: shell completions and manual pages, made from the arguments themselves.

use std::fs;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::console;
use crate::error::Error;

/// Prints the completions for a shell.
pub(crate) fn completions(shell: Shell) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "anywarp", &mut script);
    console::contents(&script)
}

/// Writes a manual page for the command and one for each of its subcommands.
pub(crate) fn man(folder: &Path) -> Result<(), Error> {
    let failed = |source| Error::Write {
        path: folder.to_owned(),
        source,
    };
    fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(Cli::command(), folder).map_err(failed)?;
    console::result(&folder.display().to_string())
}
