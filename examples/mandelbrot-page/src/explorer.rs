//! State shared by input handlers and the rendering task.
//!
//! One task ([`Explorer::run`]) owns the job. Input handlers change the settings and transform the displayed picture
//! immediately; the task sees the change after the batch that it waits for, and abandons the old view.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::str::FromStr;

use mandelbrot::{Job, JobDescriptor, JobError, Palette, Progress};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use crate::device::Gpu;
use crate::dom;
use crate::gesture::Move;
use crate::panel::Panel;
use crate::rate::Rate;
use crate::screen::Screen;
use crate::settings::Settings;
use crate::signal::Signal;

/// Minimal interval between two repaints in milliseconds; painting also takes at most a quarter of the time.
const PAINT_INTERVAL: f64 = 40.0;

pub(crate) struct Explorer {
    settings: RefCell<Settings>,
    /// Set when the view, the size or the board has changed.
    changed: Signal,
    screen: Screen,
    panel: Panel,
    rate: RefCell<Rate>,
    /// Shown in the next animation frame.
    progress: Cell<Option<Progress>>,
    is_frame_asked: Cell<bool>,
    next_paint: Cell<f64>,
}

impl Explorer {
    pub(crate) fn new(settings: Settings, screen: Screen, panel: Panel) -> Rc<Self> {
        let this = Rc::new(Self {
            settings: RefCell::new(settings),
            changed: Signal::default(),
            screen,
            panel,
            rate: RefCell::default(),
            progress: Cell::new(None),
            is_frame_asked: Cell::new(false),
            next_paint: Cell::new(0.0),
        });
        this.anew();
        this
    }

    pub(crate) fn settings(&self) -> Settings {
        self.settings.borrow().clone()
    }

    /// Size of the picture in pixels.
    pub(crate) fn size(&self) -> [f64; 2] {
        self.screen.size().map(f64::from)
    }

    /// Applies a gesture to the picture and the view.
    pub(crate) fn move_view(&self, moved: Move) {
        if self.settings.borrow_mut().apply(moved, self.size()) {
            report(self.screen.move_along(moved));
            self.anew();
        }
    }

    /// Replaces the settings.
    pub(crate) fn show(&self, settings: Settings) {
        if *self.settings.borrow() != settings {
            self.settings.replace(settings);
            report(self.screen.begin());
            self.anew();
        }
    }

    /// Resizes the picture to the window.
    pub(crate) fn resize(&self, size: [u32; 2]) {
        if self.screen.size() != size {
            report(self.screen.resize(size));
            self.anew();
        }
    }

    pub(crate) fn fail(&self, message: &str) {
        self.panel.fail(message);
    }

    /// Signals a change to the task, and shows it in the panel.
    fn anew(&self) {
        self.progress.set(None);
        self.panel.run();
        self.panel.show_view(&self.settings.borrow());
        self.changed.set();
    }

    /// The rendering task: computes the view of the current settings, forever.
    pub(crate) async fn run(self: Rc<Self>, gpu: Gpu) {
        self.panel.show_adapter(&gpu.name);
        let mut job = None;
        loop {
            if self.changed.take() {
                match self.begin(&gpu, job.take()).await {
                    Ok(begun) => job = Some(begun),
                    Err(error) => self.panel.fail(&error.to_string()),
                }
            }
            if let Some(running) = &mut job {
                match running.step().await {
                    // The result belongs to a view that is no longer displayed.
                    Some(Ok(_)) if self.changed.is_set() => continue,
                    Some(Ok(progress)) => {
                        self.take(running, progress);
                        continue;
                    }
                    Some(Err(error)) => {
                        self.panel.fail(&error.to_string());
                        job = None;
                    }
                    None => {}
                }
            }
            self.changed.wait().await;
        }
    }

    /// Starts a view, with the existing job if that has the right size.
    async fn begin(&self, gpu: &Gpu, job: Option<Job>) -> Result<Job, JobError> {
        let settings = self.settings();
        let size = self.screen.size();
        match job.filter(|job| job.image().size() == size) {
            Some(mut job) => {
                job.look_at(settings.view, settings.board, settings.limit)?;
                Ok(job)
            }
            None => {
                let mut descriptor = JobDescriptor::new(settings.view, size, settings.board);
                descriptor.limit = settings.limit;
                descriptor.slots = settings.slots;
                Job::new(&gpu.device, &gpu.queue, descriptor).await
            }
        }
    }

    /// Displays the results of a batch.
    fn take(self: &Rc<Self>, job: &Job, progress: Progress) {
        let begin = dom::now();
        self.rate.borrow_mut().note(begin, progress.batches);
        self.progress.set(Some(progress));
        if progress.is_done || begin >= self.next_paint.get() {
            let palette = Palette::from_str(&self.settings.borrow().palette).unwrap_or_default();
            report(self.screen.paint(job.image(), &palette));
            let end = dom::now();
            self.next_paint
                .set(end + (3.0 * (end - begin)).max(PAINT_INTERVAL));
        }
        if progress.is_done {
            // Drawn immediately, because tabs in the background have no animation frames.
            self.draw();
            self.share_address();
            self.panel.finish(job.image().checksum());
        } else {
            self.ask_frame();
        }
    }

    /// Writes the settings to the address of the page.
    fn share_address(&self) {
        let hash = self.settings.borrow().hash();
        if let Ok(history) = dom::window().map(|window| window.history()) {
            // Browsers may limit the rate of such calls; the next picture updates the address again.
            let _ = history.and_then(|history| {
                history.replace_state_with_url(&JsValue::NULL, "", Some(&hash))
            });
        }
    }

    fn ask_frame(self: &Rc<Self>) {
        if self.is_frame_asked.replace(true) {
            return;
        }
        let this = Rc::clone(self);
        let frame = Closure::once_into_js(move || {
            this.is_frame_asked.set(false);
            this.draw();
        });
        if let Ok(window) = dom::window() {
            report(
                window
                    .request_animation_frame(frame.unchecked_ref())
                    .map(drop),
            );
        }
    }

    fn draw(&self) {
        report(self.screen.show());
        if let Some(progress) = self.progress.take() {
            let rate = self.rate.borrow().per_second();
            self.panel.show_progress(&progress, rate);
        }
    }
}

/// Shows a drawing error, which may occur when the browser is out of memory, and logs its cause to the console.
fn report(drawn: Result<(), JsValue>) {
    if let Err(error) = drawn {
        web_sys::console::error_1(&error);
    }
}
