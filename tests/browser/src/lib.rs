//! Drives a real browser: Chromium with WebGPU on a software device.
//!
//! In: the address of a page. Out: the contents of its document, screenshots, and every error. What always holds:
//! every call returns in bounded time; an error or exception in a page fails the next call with its text; the process
//! ends and its files are removed when the [`Browser`] is dropped, also on a panic.

mod chromium;
mod input;
mod page_errors;
mod tab;
mod tint;

use std::path::Path;
use std::time::Duration;

pub use chromium::EXECUTABLE;
pub use input::Pointer;
pub use tab::Tab;
pub use tint::{Message, Severity, tint_check};

use chromium::Chromium;

/// The longest time for a single request to the browser.
const PATIENCE: Duration = Duration::from_secs(60);

/// The time without events after which the client closes its connection to the browser. Long enough for a page that
/// computes for minutes.
const SILENCE: Duration = Duration::from_secs(3600);

/// Why a request to the browser failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BrowserError {
    /// No browser is installed.
    #[error("no Chromium is installed, nor is one named by {EXECUTABLE}")]
    NotInstalled,
    /// The process did not start, or it ended.
    #[error("chromium did not start: {0}")]
    Start(String),
    /// A message was not answered, or not according to the protocol.
    #[error("chromium does not answer: {0}")]
    Protocol(String),
    /// The page had an error, threw an exception or crashed.
    #[error("the page failed: {0}")]
    Page(String),
    /// The page did not reach the expected state.
    #[error("after {seconds} s the page has not come to `{expression}`; it says: {text}")]
    Timeout {
        /// The JavaScript condition.
        expression: String,
        /// The time limit.
        seconds: u64,
        /// The text of the document.
        text: String,
    },
}

impl BrowserError {
    fn protocol(error: impl std::fmt::Display) -> Self {
        Self::Protocol(error.to_string())
    }
}

/// A running browser.
pub struct Browser {
    client: headless_chrome::Browser,
    // Dropped after its client.
    process: Chromium,
}

impl std::fmt::Debug for Browser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Browser").finish_non_exhaustive()
    }
}

impl Browser {
    /// Starts a browser with a new profile.
    pub fn launch() -> Result<Self, BrowserError> {
        let process = Chromium::start()?;
        let address = process.address().to_owned();
        let client = headless_chrome::Browser::connect_with_timeout(address, SILENCE);
        Ok(Self {
            client: client.map_err(BrowserError::protocol)?,
            process,
        })
    }

    /// Starts a browser; if none is installed, reports the test as skipped.
    pub fn launch_for(test: &str) -> Option<Self> {
        match Self::launch() {
            Ok(browser) => Some(browser),
            Err(error @ BrowserError::NotInstalled) => {
                anywarp_test_support::report_skip(&format!("{test}: {error}"));
                None
            }
            Err(error) => panic!("{test}: {error}"),
        }
    }

    /// The folder of its profile, which is removed at the end.
    pub fn profile(&self) -> &Path {
        self.process.profile()
    }

    /// Opens a page in a tab of this size. Errors are recorded from the start.
    pub fn open(&self, url: &str, size: [u32; 2]) -> Result<Tab, BrowserError> {
        self.open_with(url, size, "")
    }

    /// Opens a page with a script that runs before the page's own.
    pub fn open_with(&self, url: &str, size: [u32; 2], script: &str) -> Result<Tab, BrowserError> {
        let tab = Tab::new(&self.client, size)?;
        tab.run_first(script)?;
        tab.go_to(url)?;
        Ok(tab)
    }
}
