//! The canvas: the pixels known so far, above the previous picture as a placeholder.
//!
//! What always holds: known pixels replace the placeholder and are never blended with it; when the view moves, the
//! displayed picture moves too, until the new picture replaces it.

use mandelbrot::{Image, Palette};
use wasm_bindgen::{Clamped, JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use crate::dom::{self, Missing};
use crate::gesture::Move;

/// A canvas and its rendering context.
struct Layer {
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
}

impl Layer {
    fn new(canvas: HtmlCanvasElement) -> Result<Self, Missing> {
        let context = canvas.get_context("2d").ok().flatten();
        let context = context.and_then(|context| context.dyn_into().ok());
        let context = context.ok_or_else(|| Missing("2d canvas".to_owned()))?;
        Ok(Self { canvas, context })
    }

    /// A canvas that is not part of the document.
    fn hidden() -> Result<Self, Missing> {
        let canvas = dom::document()?.create_element("canvas").ok();
        let canvas = canvas.and_then(|canvas| canvas.dyn_into().ok());
        Self::new(canvas.ok_or_else(|| Missing("canvas".to_owned()))?)
    }

    fn resize(&self, [width, height]: [u32; 2]) {
        self.canvas.set_width(width);
        self.canvas.set_height(height);
    }

    fn clear(&self) {
        let (width, height) = (self.canvas.width(), self.canvas.height());
        (self.context).clear_rect(0.0, 0.0, f64::from(width), f64::from(height));
    }
}

pub(crate) struct Screen {
    shown: Layer,
    stand_in: Layer,
    picture: Layer,
}

impl Screen {
    pub(crate) fn new(canvas: HtmlCanvasElement) -> Result<Self, Missing> {
        Ok(Self {
            shown: Layer::new(canvas)?,
            stand_in: Layer::hidden()?,
            picture: Layer::hidden()?,
        })
    }

    pub(crate) fn size(&self) -> [u32; 2] {
        [self.shown.canvas.width(), self.shown.canvas.height()]
    }

    /// Changes the size, and scales the displayed picture to it.
    pub(crate) fn resize(&self, size: [u32; 2]) -> Result<(), JsValue> {
        if self.size() == size {
            return Ok(());
        }
        self.stand_in.resize(size);
        let [width, height] = size.map(f64::from);
        let (layer, shown) = (&self.stand_in.context, &self.shown.canvas);
        if shown.width() > 0 && shown.height() > 0 {
            layer.draw_image_with_html_canvas_element_and_dw_and_dh(
                shown, 0.0, 0.0, width, height,
            )?;
        }
        self.shown.resize(size);
        self.picture.resize(size);
        self.show()
    }

    /// Transforms the displayed picture, which becomes the placeholder for the next one.
    pub(crate) fn move_along(&self, moved: Move) -> Result<(), JsValue> {
        let [width, height] = self.size().map(f64::from);
        let at = |axis: usize| moved.to[axis] - moved.scale * moved.from[axis];
        self.stand_in.clear();
        let layer = &self.stand_in.context;
        layer.draw_image_with_html_canvas_element_and_dw_and_dh(
            &self.shown.canvas,
            at(0),
            at(1),
            width * moved.scale,
            height * moved.scale,
        )?;
        self.picture.clear();
        self.show()
    }

    /// Begins a picture without known pixels; the displayed one becomes the placeholder.
    pub(crate) fn begin(&self) -> Result<(), JsValue> {
        self.move_along(Move::stay([0.0, 0.0]))
    }

    /// Copies the known pixels of an image.
    pub(crate) fn paint(&self, image: &Image, palette: &Palette) -> Result<(), JsValue> {
        let mut colours = image.rgba(palette);
        let (pixels, _) = colours.as_chunks_mut::<4>();
        for (pixel, count) in pixels.iter_mut().zip(image.counts()) {
            if *count == Image::UNKNOWN {
                *pixel = [0; 4];
            }
        }
        let [width, height] = image.size();
        let data = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&colours), width, height)?;
        self.picture.context.put_image_data(&data, 0.0, 0.0)
    }

    /// Composes the layers.
    pub(crate) fn show(&self) -> Result<(), JsValue> {
        self.shown.clear();
        for layer in [&self.stand_in, &self.picture] {
            if layer.canvas.width() > 0 && layer.canvas.height() > 0 {
                (self.shown.context).draw_image_with_html_canvas_element(
                    &layer.canvas,
                    0.0,
                    0.0,
                )?;
            }
        }
        Ok(())
    }
}
