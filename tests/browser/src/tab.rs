//! A page in a browser tab: evaluates expressions, waits for conditions, takes screenshots.

use std::sync::{Arc, mpsc};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use headless_chrome::protocol::cdp::types::{Event, Method};
use headless_chrome::protocol::cdp::{Emulation, Inspector, Page, Runtime};
use serde_json::Value;

use crate::page_errors::{PageErrors, exception};
use crate::{BrowserError, PATIENCE};

/// A page in a browser. After an error in the page every call fails, except [`Tab::warnings`].
pub struct Tab {
    tab: Arc<headless_chrome::Tab>,
    errors: Arc<PageErrors>,
}

impl std::fmt::Debug for Tab {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tab").finish_non_exhaustive()
    }
}

impl Tab {
    /// An empty tab.
    pub(super) fn new(
        browser: &headless_chrome::Browser,
        size: [u32; 2],
    ) -> Result<Self, BrowserError> {
        let tab = browser.new_tab().map_err(BrowserError::protocol)?;
        let errors = Arc::new(PageErrors::default());
        let noted = Arc::clone(&errors);
        tab.add_event_listener(Arc::new(move |event: &Event| noted.note(event)))
            .map_err(BrowserError::protocol)?;
        let this = Self { tab, errors };
        this.ask(|tab| tab.enable_log().map(drop))?;
        this.ask(|tab| tab.enable_runtime().map(drop))?;
        this.call(Inspector::Enable(None))?;
        this.call(viewport(size))?;
        this.call(Emulation::SetTouchEmulationEnabled {
            enabled: true,
            max_touch_points: Some(2),
        })?;
        Ok(this)
    }

    /// Runs a script in every page that is loaded from now on, before the page's own scripts.
    pub(super) fn run_first(&self, script: &str) -> Result<(), BrowserError> {
        self.call(Page::AddScriptToEvaluateOnNewDocument {
            source: script.to_owned(),
            world_name: None,
            include_command_line_api: None,
            run_immediately: None,
        })?;
        Ok(())
    }

    /// Loads another page in this tab, with all its resources.
    pub fn go_to(&self, url: &str) -> Result<(), BrowserError> {
        let loaded = self.call(Page::Navigate {
            url: url.to_owned(),
            referrer: None,
            transition_Type: None,
            frame_id: None,
            referrer_policy: None,
        })?;
        match loaded.error_text {
            Some(text) => Err(BrowserError::Page(format!("{url}: {text}"))),
            None => self.wait_for("document.readyState === 'complete'", PATIENCE),
        }
    }

    /// The value of a JavaScript expression; of a promise, the value that it resolves to.
    pub fn evaluate(&self, expression: &str) -> Result<Value, BrowserError> {
        self.check()?;
        let answer = self.call(Runtime::Evaluate {
            expression: expression.to_owned(),
            return_by_value: Some(true),
            await_promise: Some(true),
            generate_preview: None,
            silent: None,
            include_command_line_api: None,
            user_gesture: None,
            object_group: None,
            context_id: None,
            throw_on_side_effect: None,
            timeout: None,
            disable_breaks: None,
            repl_mode: None,
            allow_unsafe_eval_blocked_by_csp: None,
            unique_context_id: None,
            serialization_options: None,
        })?;
        self.check()?;
        match answer.exception_details {
            Some(details) => Err(BrowserError::Page(exception(&details))),
            None => Ok(answer.result.value.unwrap_or(Value::Null)),
        }
    }

    /// The text value of an expression.
    pub fn text(&self, expression: &str) -> Result<String, BrowserError> {
        match self.evaluate(expression)? {
            Value::String(text) => Ok(text),
            other => Err(BrowserError::Page(format!(
                "`{expression}` is {other}, which is no text"
            ))),
        }
    }

    /// Waits until an expression is true.
    pub fn wait_for(&self, expression: &str, patience: Duration) -> Result<(), BrowserError> {
        let begin = Instant::now();
        while self.evaluate(&format!("!!({expression})"))? != Value::Bool(true) {
            if begin.elapsed() > patience {
                let text = "document.title + ': ' + document.body?.innerText";
                return Err(BrowserError::Timeout {
                    expression: expression.to_owned(),
                    seconds: patience.as_secs(),
                    text: self.text(text)?,
                });
            }
            sleep(Duration::from_millis(25));
        }
        Ok(())
    }

    /// A screenshot of the page as PNG.
    pub fn screenshot(&self) -> Result<Vec<u8>, BrowserError> {
        self.check()?;
        let format = Page::CaptureScreenshotFormatOption::Png;
        self.ask(|tab| tab.capture_screenshot(format, None, None, true))
    }

    /// Closes the tab; a page that is not closed runs until the browser ends.
    pub fn close(self) -> Result<(), BrowserError> {
        self.ask(|tab| tab.close_target().map(drop))
    }

    /// The console warnings so far.
    pub fn warnings(&self) -> Vec<String> {
        self.errors.warnings()
    }

    /// Returns the first error of the page, if any.
    pub fn check(&self) -> Result<(), BrowserError> {
        match self.errors.errors() {
            Some(errors) => Err(BrowserError::Page(errors)),
            None => Ok(()),
        }
    }

    pub(super) fn call<M>(&self, method: M) -> Result<M::ReturnObject, BrowserError>
    where
        M: Method + serde::Serialize + std::fmt::Debug + Send + 'static,
        M::ReturnObject: Send + 'static,
    {
        self.ask(move |tab| tab.call_method(method))
    }

    /// Calls the browser with a time limit: the client itself would wait as long as the connection exists.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&headless_chrome::Tab) -> anyhow::Result<T> + Send + 'static,
    ) -> Result<T, BrowserError> {
        let (sender, answers) = mpsc::channel();
        let tab = Arc::clone(&self.tab);
        thread::spawn(move || sender.send(question(&tab)));
        let failed = match answers.recv_timeout(PATIENCE) {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => BrowserError::protocol(error),
            Err(_) => BrowserError::Protocol(format!("nothing for {} s", PATIENCE.as_secs())),
        };
        // A crashed page does not answer; the crash is the better error.
        self.check()?;
        Err(failed)
    }
}

fn viewport([width, height]: [u32; 2]) -> Emulation::SetDeviceMetricsOverride {
    Emulation::SetDeviceMetricsOverride {
        width,
        height,
        device_scale_factor: 1.0,
        mobile: false,
        scale: None,
        screen_width: None,
        screen_height: None,
        position_x: None,
        position_y: None,
        dont_set_visible_size: None,
        screen_orientation: None,
        viewport: None,
        display_feature: None,
        device_posture: None,
    }
}
