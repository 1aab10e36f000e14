//! The web page that runs the experiments.

use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Document, console};

use crate::digits::Error;
use crate::report;

#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| fail(&panic.to_string())));
    wasm_bindgen_futures::spawn_local(async {
        match run().await {
            Ok(report) => show("done", &report),
            Err(error) => fail(&error.to_string()),
        }
    });
}

async fn run() -> Result<String, Error> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::BROWSER_WEBGPU;
    let instance = wgpu::Instance::new(descriptor);
    let adapter = instance.request_adapter(&Default::default()).await?;
    let (device, queue) = adapter.request_device(&Default::default()).await?;
    report(&device, &queue).await
}

fn fail(message: &str) {
    console::error_1(&message.into());
    show("failed", message);
}

fn show(state: &str, report: &str) {
    let Some(document) = document() else {
        return;
    };
    if let Some(element) = document.get_element_by_id("report") {
        element.set_text_content(Some(report));
    }
    if let Some(root) = document.document_element() {
        // Fails for invalid names only.
        let _ = root.set_attribute("data-state", state);
    }
}

fn document() -> Option<Document> {
    web_sys::window()?.document()
}
