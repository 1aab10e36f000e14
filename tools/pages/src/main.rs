//! `anywarp-pages PACKAGE`: builds a page of the repository and serves it, or only builds it.
//!
//! `cargo xtask page` runs this program.

#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool talks to its user"
)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anywarp_pages::{Page, Server, build};
use clap::Parser;

/// Builds a page of the repository for browsers, and serves it to this machine.
#[derive(Parser)]
struct Arguments {
    /// The package of the page.
    package: String,
    /// Only build, into this folder, which any static host can serve.
    #[arg(long, value_name = "DIR")]
    build: Option<PathBuf>,
    /// The port to serve on; any free one by default.
    #[arg(long, default_value_t = 0)]
    port: u16,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
    let page = match &arguments.build {
        Some(folder) => Page {
            package: arguments.package.clone(),
            folder: folder.clone(),
        },
        None => Page::in_target_folder(&manifest, &arguments.package)?,
    };
    build(&manifest, std::slice::from_ref(&page))?;
    println!("built {}", page.folder.display());
    if arguments.build.is_none() {
        let server = Server::start(&page.folder, arguments.port)?;
        println!("{} (ends with Ctrl-C)", server.url());
        server.join();
    }
    Ok(())
}
