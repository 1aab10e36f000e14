//! Parts of the document, and events.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{AddEventListenerOptions, Document, EventTarget, Window};

/// Something that the page needs is not there: our own HTML lacks it, or the browser does.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the page has no {0}")]
pub(crate) struct Missing(pub(crate) String);

pub(crate) fn window() -> Result<Window, Missing> {
    web_sys::window().ok_or_else(|| Missing("window".to_owned()))
}

pub(crate) fn document() -> Result<Document, Missing> {
    let document = window()?.document();
    document.ok_or_else(|| Missing("document".to_owned()))
}

/// The element with this id, as what it must be.
pub(crate) fn element<T: JsCast>(id: &str) -> Result<T, Missing> {
    let element = document()?.get_element_by_id(id);
    let element = element.and_then(|element| element.dyn_into().ok());
    element.ok_or_else(|| Missing(format!("element #{id}")))
}

/// Writes an attribute `data-NAME` of the document's root.
pub(crate) fn tell(name: &str, value: &str) {
    let root = document()
        .ok()
        .and_then(|document| document.document_element());
    if let Some(root) = root {
        // Fails for names that are none; ours are.
        let _ = root.set_attribute(&format!("data-{name}"), value);
    }
}

/// Milliseconds since the page was loaded.
pub(crate) fn now() -> f64 {
    let performance = web_sys::window().and_then(|window| window.performance());
    performance.map_or(0.0, |performance| performance.now())
}

/// Calls a function on every event of a name, for as long as the page lives. It may keep the browser
/// from what it would do by itself.
pub(crate) fn listen<E: JsCast + wasm_bindgen::convert::FromWasmAbi + 'static>(
    target: &EventTarget,
    name: &str,
    call: impl FnMut(E) + 'static,
) -> Result<(), Missing> {
    let closure = Closure::<dyn FnMut(E)>::new(call);
    let options = AddEventListenerOptions::new();
    options.set_passive(false);
    let function = closure.as_ref().unchecked_ref();
    target
        .add_event_listener_with_callback_and_add_event_listener_options(name, function, &options)
        .map_err(|_| Missing(format!("event {name}")))?;
    closure.forget();
    Ok(())
}
