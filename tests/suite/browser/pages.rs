//! The pages of the tests: built once, served to each test, waited for.
//!
//! Every page tells in the attribute `data-state` of its root whether it is `running`, `done` or
//! `failed`.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use anywarp_pages::{Page, Server, build};
use anywarp_tests::browser::Tab;

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

/// How long a page may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits for something that a page comes to.
pub(crate) fn wait_for(tab: &Tab, expression: &str) {
    tab.wait_for(expression, PATIENCE).unwrap();
}

/// Waits for the end of what a page does, which must be a good one, without any warning.
pub(crate) fn wait_until_done(tab: &Tab) {
    wait_for(tab, "document.documentElement.dataset.state !== 'running'");
    let state = tab.text("document.documentElement.dataset.state");
    let text = tab.text("document.body.innerText").unwrap();
    assert_eq!(state.unwrap(), "done", "{text}");
    assert_eq!(tab.warnings(), [""; 0]);
}
