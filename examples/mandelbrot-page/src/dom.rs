//! Access to the document: elements, attributes, events.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{AddEventListenerOptions, Document, EventTarget, Window};

/// Something that the page needs is missing, in the HTML or in the browser.
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

/// The element with this id, cast to its type.
pub(crate) fn element<T: JsCast>(id: &str) -> Result<T, Missing> {
    let element = document()?.get_element_by_id(id);
    let element = element.and_then(|element| element.dyn_into().ok());
    element.ok_or_else(|| Missing(format!("element #{id}")))
}

/// Sets the attribute `data-NAME` of the document's root element.
pub(crate) fn tell(name: &str, value: &str) {
    let root = document()
        .ok()
        .and_then(|document| document.document_element());
    if let Some(root) = root {
        // Fails for invalid names only.
        let _ = root.set_attribute(&format!("data-{name}"), value);
    }
}

/// Milliseconds since the page was loaded (`performance.now`).
pub(crate) fn now() -> f64 {
    let performance = web_sys::window().and_then(|window| window.performance());
    performance.map_or(0.0, |performance| performance.now())
}

/// Adds an event listener for the lifetime of the page. The callback may prevent the default action of the browser.
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
