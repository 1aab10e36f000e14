//! Entry point of the page: creates all parts, and reports errors.

use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{HtmlCanvasElement, console};

use crate::device::Gpu;
use crate::dom::{self, Missing};
use crate::explorer::Explorer;
use crate::input;
use crate::panel::Panel;
use crate::screen::Screen;
use crate::settings::Settings;

/// Maximal number of pixels that are computed; larger windows show a scaled picture.
const MAX_PIXELS: f64 = 4e6;

type Error = Box<dyn std::error::Error>;

#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| {
        console::error_1(&panic.to_string().into());
        fail(&format!("This page has a bug: {panic}"));
    }));
    wasm_bindgen_futures::spawn_local(async {
        if let Err(error) = run().await {
            fail(&error.to_string());
        }
    });
}

async fn run() -> Result<(), Error> {
    let settings = read_address()?;
    let gpu = Gpu::open().await?;
    let canvas: HtmlCanvasElement = dom::element("picture")?;
    if let Some([width, height]) = settings.size {
        // One pixel of the picture is one CSS pixel.
        let style = canvas.style();
        let set = |name: &str, pixels: u32| style.set_property(name, &format!("{pixels}px"));
        let is_set = set("width", width).and_then(|()| set("height", height));
        is_set.map_err(|_| Missing("style of the canvas".to_owned()))?;
    }
    let screen = Screen::new(canvas.clone())?;
    // If this fails, so does all later drawing, which reports its errors.
    let _ = screen.resize(size(&settings)?);
    let explorer = Explorer::new(settings, screen, Panel::new()?);
    input::attach(&explorer, &canvas)?;
    explorer.run(gpu).await;
    Ok(())
}

fn fail(message: &str) {
    match Panel::new() {
        Ok(panel) => panel.fail(message),
        Err(missing) => console::error_2(&missing.to_string().into(), &message.into()),
    }
}

/// The settings in the address.
pub(crate) fn read_address() -> Result<Settings, Error> {
    let window = dom::window()?;
    let location = window.location();
    let unreadable = |_| Missing("address".to_owned());
    let query = location.search().map_err(unreadable)?;
    let hash = location.hash().map_err(unreadable)?;
    let [width, height] = window_size()?;
    Ok(Settings::parse(&query, &hash, width / height)?)
}

/// Size of the picture in pixels: from the address, or the size of the window.
pub(crate) fn size(settings: &Settings) -> Result<[u32; 2], Missing> {
    if let Some(size) = settings.size {
        return Ok(size);
    }
    let size = window_size()?;
    let ratio = dom::window()?.device_pixel_ratio();
    let pixels = size[0] * size[1] * ratio * ratio;
    let ratio = ratio * (MAX_PIXELS / pixels).sqrt().min(1.0);
    Ok(size.map(|side| (side * ratio).floor().max(1.0) as u32))
}

fn window_size() -> Result<[f64; 2], Missing> {
    let window = dom::window()?;
    let side = |value: Result<wasm_bindgen::JsValue, wasm_bindgen::JsValue>| {
        let value = value.ok().and_then(|value| value.as_f64());
        value.map(|side| side.max(1.0))
    };
    let sides = side(window.inner_width()).zip(side(window.inner_height()));
    let (width, height) = sides.ok_or_else(|| Missing("size".to_owned()))?;
    Ok([width, height])
}
