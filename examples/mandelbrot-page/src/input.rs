//! Event handlers: pointer, wheel, keyboard, choices, window size and address.

use std::cell::RefCell;
use std::rc::Rc;

use web_sys::{
    Event, HtmlCanvasElement, HtmlSelectElement, KeyboardEvent, MouseEvent, PointerEvent,
    WheelEvent,
};

use crate::dom::{self, Missing, listen};
use crate::explorer::Explorer;
use crate::gesture::{Fingers, Move, key_move, wheel_scale};
use crate::page;
use crate::settings::{Settings, limit, limit_text};

/// Pixels per unit of a wheel event, for each delta mode: pixels, lines, pages.
const WHEEL_UNITS: [f64; 3] = [1.0, 16.0, 400.0];

pub(crate) fn attach(explorer: &Rc<Explorer>, canvas: &HtmlCanvasElement) -> Result<(), Missing> {
    pointers(explorer, canvas)?;
    wheel(explorer, canvas)?;
    keys(explorer)?;
    choices(explorer)?;
    address(explorer)
}

/// The position of an event on the canvas, in pixels of the picture.
fn place(canvas: &HtmlCanvasElement, event: &MouseEvent) -> [f64; 2] {
    let frame = canvas.get_bounding_client_rect();
    let scale = f64::from(canvas.width()) / frame.width().max(1.0);
    let x = f64::from(event.client_x()) - frame.left();
    let y = f64::from(event.client_y()) - frame.top();
    [x * scale, y * scale]
}

fn pointers(explorer: &Rc<Explorer>, canvas: &HtmlCanvasElement) -> Result<(), Missing> {
    let fingers = Rc::new(RefCell::new(Fingers::default()));
    let (down, at) = (Rc::clone(&fingers), canvas.clone());
    listen(canvas, "pointerdown", move |event: PointerEvent| {
        // Pointer capture delivers events outside the canvas; if it fails, a drag ends at the border.
        let _ = at.set_pointer_capture(event.pointer_id());
        down.borrow_mut()
            .press(event.pointer_id(), place(&at, &event));
    })?;
    let (down, at, explorer) = (Rc::clone(&fingers), canvas.clone(), Rc::clone(explorer));
    listen(canvas, "pointermove", move |event: PointerEvent| {
        let slid = down
            .borrow_mut()
            .slide(event.pointer_id(), place(&at, &event));
        if let Some(moved) = slid {
            explorer.move_view(moved);
        }
    })?;
    for name in ["pointerup", "pointercancel"] {
        let down = Rc::clone(&fingers);
        listen(canvas, name, move |event: PointerEvent| {
            down.borrow_mut().lift(event.pointer_id());
        })?;
    }
    Ok(())
}

fn wheel(explorer: &Rc<Explorer>, canvas: &HtmlCanvasElement) -> Result<(), Missing> {
    let (at, explorer) = (canvas.clone(), Rc::clone(explorer));
    listen(canvas, "wheel", move |event: WheelEvent| {
        // By default the browser would scroll or zoom the page.
        event.prevent_default();
        let unit = WHEEL_UNITS.get(event.delta_mode() as usize).unwrap_or(&1.0);
        let scale = wheel_scale(event.delta_y() * unit);
        explorer.move_view(Move::zoom(scale, place(&at, &event)));
    })
}

fn keys(explorer: &Rc<Explorer>) -> Result<(), Missing> {
    let (explorer, window) = (Rc::clone(explorer), dom::window()?);
    listen(&window, "keydown", move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let key = event.key();
        if let Some(moved) = key_move(&key, explorer.size()) {
            event.prevent_default();
            explorer.move_view(moved);
        } else if key == "r" {
            reset(&explorer);
        }
    })
}

/// Shows the whole set, as an address without settings does.
fn reset(explorer: &Explorer) {
    let [width, height] = explorer.size();
    if let Ok(bare) = Settings::parse("", "", width / height) {
        let mut settings = explorer.settings();
        settings.view = bare.view;
        explorer.show(settings);
    }
}

/// The select elements, each with the change that a choice makes to the settings.
fn choices(explorer: &Rc<Explorer>) -> Result<(), Missing> {
    show_choices(&explorer.settings())?;
    choice(explorer, "board", |settings, value| {
        settings.board = value.parse().unwrap_or(settings.board);
    })?;
    choice(explorer, "limit", |settings, value| {
        settings.limit = limit(&value).unwrap_or(settings.limit);
    })?;
    choice(explorer, "palette", |settings, value| {
        settings.palette = value;
    })
}

fn choice(
    explorer: &Rc<Explorer>,
    id: &str,
    choose: impl Fn(&mut Settings, String) + 'static,
) -> Result<(), Missing> {
    let list: HtmlSelectElement = dom::element(id)?;
    let (explorer, chosen) = (Rc::clone(explorer), list.clone());
    listen(&list, "change", move |_: Event| {
        let mut settings = explorer.settings();
        choose(&mut settings, chosen.value());
        explorer.show(settings);
        // Returns the keyboard focus to the picture.
        let _ = chosen.blur();
    })
}

/// Selects the current settings in the lists.
fn show_choices(settings: &Settings) -> Result<(), Missing> {
    for (id, value) in [
        ("board", settings.board.to_string()),
        ("limit", limit_text(settings.limit)),
        ("palette", settings.palette.clone()),
    ] {
        dom::element::<HtmlSelectElement>(id)?.set_value(&value);
    }
    Ok(())
}

/// Handles changes of the window size and of the address.
fn address(explorer: &Rc<Explorer>) -> Result<(), Missing> {
    let window = dom::window()?;
    let resized = Rc::clone(explorer);
    listen(&window, "resize", move |_: Event| {
        if let Ok(size) = page::size(&resized.settings()) {
            resized.resize(size);
        }
    })?;
    let explorer = Rc::clone(explorer);
    listen(
        &window,
        "hashchange",
        move |_: Event| match page::read_address() {
            Ok(settings) => {
                let _ = show_choices(&settings);
                explorer.show(settings);
            }
            Err(error) => explorer.fail(&error.to_string()),
        },
    )
}
