//! The pages of the tests: built once, served to each test.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anywarp_pages::{Page, Server, build};

const PAGES: &[&str] = &["batch-page", "mandelbrot-page"];

fn folder(package: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("pages")
        .join(package)
}

/// Serves a page. All pages are compiled in one go, by whichever test comes first.
pub(crate) fn serve(package: &str) -> Server {
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
        let page = |package: &&str| Page {
            package: (*package).to_owned(),
            folder: folder(package),
        };
        let pages: Vec<_> = PAGES.iter().map(page).collect();
        build(&manifest, &pages).unwrap();
    });
    Server::start(&folder(package), 0).unwrap()
}
