//! Records errors in a page: console errors, exceptions, crashes.
//!
//! Warnings are kept separately. A WebGPU error that no error scope catches is only a console warning, so a correct
//! page has none; but Chromium also prints warnings of its own.

use std::sync::{Mutex, MutexGuard, PoisonError};

use headless_chrome::protocol::cdp::types::Event;
use headless_chrome::protocol::cdp::{Log, Runtime};

#[derive(Default)]
pub(super) struct PageErrors(Mutex<Lists>);

#[derive(Default)]
struct Lists {
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl PageErrors {
    fn lists(&self) -> MutexGuard<'_, Lists> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All errors so far.
    pub(super) fn errors(&self) -> Option<String> {
        let lists = self.lists();
        (!lists.errors.is_empty()).then(|| lists.errors.join("\n"))
    }

    /// All warnings so far.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.lists().warnings.clone()
    }

    /// Records an event if it is an error or a warning.
    pub(super) fn note(&self, event: &Event) {
        use Log::LogEntryLevel as Level;
        use Runtime::ConsoleAPICalledEventTypeOption as Call;
        match event {
            Event::RuntimeConsoleAPICalled(event) => {
                let text = || {
                    event
                        .params
                        .args
                        .iter()
                        .map(text)
                        .collect::<Vec<_>>()
                        .join(" ")
                };
                match event.params.Type {
                    Call::Error | Call::Assert => self.lists().errors.push(text()),
                    Call::Warning => self.lists().warnings.push(text()),
                    _ => {}
                }
            }
            Event::RuntimeExceptionThrown(event) => {
                let details = &event.params.exception_details;
                self.lists().errors.push(exception(details));
            }
            Event::LogEntryAdded(event) => {
                let entry = &event.params.entry;
                let text = match &entry.url {
                    Some(url) => format!("{} ({url})", entry.text),
                    None => entry.text.clone(),
                };
                match entry.level {
                    Level::Error => self.lists().errors.push(text),
                    Level::Warning => self.lists().warnings.push(text),
                    _ => {}
                }
            }
            Event::InspectorTargetCrashed(_) => {
                self.lists().errors.push("the page crashed".to_owned());
            }
            _ => {}
        }
    }
}

/// The message of an exception with its stack.
pub(super) fn exception(details: &Runtime::ExceptionDetails) -> String {
    match &details.exception {
        Some(object) => format!("{}: {}", details.text, text(object)),
        None => details.text.clone(),
    }
}

/// A value as the console shows it.
fn text(object: &Runtime::RemoteObject) -> String {
    match (&object.value, &object.description) {
        (Some(serde_json::Value::String(text)), _) => text.clone(),
        (_, Some(description)) => description.clone(),
        (Some(value), None) => value.to_string(),
        (None, None) => "undefined".to_owned(),
    }
}
