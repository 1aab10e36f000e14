//! User input: mouse, wheel, touch, keys. The page receives trusted events.

use headless_chrome::protocol::cdp::Input;

use crate::{BrowserError, Tab};

/// A mouse action at a point of the page, in pixels from the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pointer {
    /// Presses the left button.
    Press,
    /// Moves, with the button held if it was pressed.
    Drag,
    /// Releases the button.
    Release,
    /// Turns the wheel by this number of pixels, downwards if positive.
    Wheel(f64),
}

impl Tab {
    /// Performs a mouse action.
    pub fn mouse(&self, action: Pointer, [x, y]: [f64; 2]) -> Result<(), BrowserError> {
        use Input::DispatchMouseEventTypeOption as Type;
        let (kind, buttons, wheel) = match action {
            Pointer::Press => (Type::MousePressed, 1, None),
            Pointer::Drag => (Type::MouseMoved, 1, None),
            Pointer::Release => (Type::MouseReleased, 0, None),
            Pointer::Wheel(by) => (Type::MouseWheel, 0, Some(by)),
        };
        let button = match wheel {
            Some(_) => Input::MouseButton::None,
            None => Input::MouseButton::Left,
        };
        self.call(Input::DispatchMouseEvent {
            Type: kind,
            x,
            y,
            button: Some(button),
            buttons: Some(buttons),
            click_count: Some(1),
            delta_x: wheel.map(|_| 0.0),
            delta_y: wheel,
            modifiers: None,
            timestamp: None,
            force: None,
            tangential_pressure: None,
            tilt_x: None,
            tilt_y: None,
            twist: None,
            pointer_Type: None,
        })?;
        self.check()
    }

    /// Touches these points; existing touches move there or end.
    pub fn touch(&self, fingers: &[[f64; 2]], is_first: bool) -> Result<(), BrowserError> {
        use Input::DispatchTouchEventTypeOption as Type;
        let kind = match (fingers.is_empty(), is_first) {
            (true, _) => Type::TouchEnd,
            (false, true) => Type::TouchStart,
            (false, false) => Type::TouchMove,
        };
        let point = |(id, [x, y]): (usize, &[f64; 2])| Input::TouchPoint {
            x: *x,
            y: *y,
            id: Some(id as f64),
            radius_x: None,
            radius_y: None,
            rotation_angle: None,
            force: None,
            tangential_pressure: None,
            tilt_x: None,
            tilt_y: None,
            twist: None,
        };
        self.call(Input::DispatchTouchEvent {
            Type: kind,
            touch_points: fingers.iter().enumerate().map(point).collect(),
            modifiers: None,
            timestamp: None,
        })?;
        self.check()
    }

    /// Presses and releases a key with this JavaScript name.
    pub fn key(&self, name: &str) -> Result<(), BrowserError> {
        let name = name.to_owned();
        self.ask(move |tab| tab.press_key(&name).map(drop))?;
        self.check()
    }
}
