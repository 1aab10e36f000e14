//! A real browser under the control of a test: Chromium with WebGPU on a software device.
//!
//! In: the address of a page. Out: what its document says, pictures of it, and every trouble it had.
//! What always holds: whatever a page does, an answer comes in bounded time; an error or an
//! exception in a page fails the next call with its text; the process ends and its files are removed
//! when the [`Browser`] is dropped, also by a panic.

mod chromium;
mod input;
mod tab;
mod tint;
mod trouble;

use std::path::Path;
use std::time::Duration;

pub use chromium::EXECUTABLE;
pub use input::Pointer;
pub use tab::Tab;
pub use tint::{Message, Severity, tint_check};

use chromium::Chromium;

/// How long a single question to the browser may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the browser as a whole, not a tab, may have nothing to tell: the client gives up its
/// connection after that. A page that computes for minutes is no reason.
const SILENCE: Duration = Duration::from_secs(3600);

/// Why the browser gave no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BrowserError {
    /// There is no browser.
    #[error("no Chromium is installed, nor is one named by {EXECUTABLE}")]
    NotInstalled,
    /// The process did not start, or ended.
    #[error("chromium did not start: {0}")]
    Start(String),
    /// A message was not answered, or not as the protocol says.
    #[error("chromium does not answer: {0}")]
    Protocol(String),
    /// The page had an error, threw an exception or crashed.
    #[error("the page failed: {0}")]
    Page(String),
    /// The page did not come to what a test waits for.
    #[error("after {seconds} s the page has not come to `{expression}`; it says: {text}")]
    Timeout {
        /// What was waited for.
        expression: String,
        /// How long.
        seconds: u64,
        /// What the document says.
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

impl Browser {
    /// Starts one, with a profile of its own.
    pub fn launch() -> Result<Self, BrowserError> {
        let process = Chromium::start()?;
        let address = process.address().to_owned();
        let client = headless_chrome::Browser::connect_with_timeout(address, SILENCE);
        Ok(Self {
            client: client.map_err(BrowserError::protocol)?,
            process,
        })
    }

    /// Starts one; where none is installed the test is skipped, and says so.
    pub fn launch_for(test: &str) -> Option<Self> {
        match Self::launch() {
            Ok(browser) => Some(browser),
            Err(error @ BrowserError::NotInstalled) => {
                crate::report_skip(&format!("{test}: {error}"));
                None
            }
            Err(error) => panic!("{test}: {error}"),
        }
    }

    /// The folder of its profile, which is removed when it ends.
    pub fn profile(&self) -> &Path {
        self.process.profile()
    }

    /// Opens a page in a tab of this size. Troubles are noted from the first moment.
    pub fn open(&self, url: &str, size: [u32; 2]) -> Result<Tab, BrowserError> {
        self.open_with(url, size, "")
    }

    /// Opens a page, with a script that runs before those of the page.
    pub fn open_with(&self, url: &str, size: [u32; 2], script: &str) -> Result<Tab, BrowserError> {
        let tab = Tab::new(&self.client, size)?;
        tab.run_first(script)?;
        tab.go_to(url)?;
        Ok(tab)
    }
}
