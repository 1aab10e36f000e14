//! The pages of the tests: builds them once, serves them to each test, and waits for them.
//!
//! Every page sets the attribute `data-state` of its root element to `running`, `done` or `failed`.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use anywarp_browser_tests::Tab;
use anywarp_pages::{Page, Server, build};

const PAGES: &[&str] = &["batch-page", "mandelbrot-page"];

fn folder(package: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("pages")
        .join(package)
}

/// Serves a page. The first test compiles all pages at once.
pub(crate) fn serve(package: &str) -> Server {
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
        let page = |package: &&str| Page {
            package: (*package).to_owned(),
            folder: folder(package),
        };
        let pages: Vec<_> = PAGES.iter().map(page).collect();
        build(&manifest, &pages).unwrap();
    });
    Server::start(&folder(package), 0).unwrap()
}

/// The time limit of a page.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits for a condition of a page.
pub(crate) fn wait_for(tab: &Tab, expression: &str) {
    tab.wait_for(expression, PATIENCE).unwrap();
}

/// Waits until a page is done, without errors or warnings.
pub(crate) fn wait_until_done(tab: &Tab) {
    wait_for(tab, "document.documentElement.dataset.state !== 'running'");
    let state = tab.text("document.documentElement.dataset.state");
    let text = tab.text("document.body.innerText").unwrap();
    assert_eq!(state.unwrap(), "done", "{text}");
    assert_eq!(tab.warnings(), [""; 0]);
}
