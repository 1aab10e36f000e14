//! Gestures as transformations of a view.
//!
//! In: positions of fingers or the mouse, in pixels of the picture from its top left corner. Out: a [`Move`], which
//! transforms both the displayed picture and the view.

use mandelbrot::View;

/// A translation and scaling: point `from` of the picture moves to `to`, and everything is scaled around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// The magnification factor.
    pub scale: f64,
    /// A point before the transformation.
    pub from: [f64; 2],
    /// The same point after it.
    pub to: [f64; 2],
}

impl Move {
    /// The identity.
    pub fn stay(at: [f64; 2]) -> Self {
        Self::zoom(1.0, at)
    }

    /// Magnifies around a fixed point.
    pub fn zoom(scale: f64, at: [f64; 2]) -> Self {
        Self {
            scale,
            from: at,
            to: at,
        }
    }

    /// Applies the transformation of a picture of this size to a view.
    pub fn apply(self, view: &mut View, [width, height]: [f64; 2]) {
        // In units of the view's width, to the right and up.
        let place = |[x, y]: [f64; 2]| ((x - width / 2.0) / width, (height / 2.0 - y) / width);
        let (from, to) = (place(self.from), place(self.to));
        view.zoom(self.scale, from);
        view.pan(from.0 - to.0, from.1 - to.1);
    }
}

/// The zoom factor of a wheel event; scrolling down zooms out.
pub fn wheel_scale(pixels: f64) -> f64 {
    (-pixels.clamp(-1000.0, 1000.0) * 0.002).exp2()
}

/// The transformation for a key; `None` for other keys.
pub fn key_move(key: &str, [width, height]: [f64; 2]) -> Option<Move> {
    let centre = [width / 2.0, height / 2.0];
    let step = width / 10.0;
    let shift = |x: f64, y: f64| Move {
        scale: 1.0,
        from: centre,
        to: [centre[0] + x * step, centre[1] + y * step],
    };
    Some(match key {
        "+" | "=" => Move::zoom(2.0, centre),
        "-" => Move::zoom(0.5, centre),
        "ArrowLeft" => shift(1.0, 0.0),
        "ArrowRight" => shift(-1.0, 0.0),
        "ArrowUp" => shift(0.0, 1.0),
        "ArrowDown" => shift(0.0, -1.0),
        _ => return None,
    })
}

/// The pointers that are down: fingers, or the mouse with its button pressed.
#[derive(Clone, Debug, Default)]
pub struct Fingers {
    /// Id and position of each, in the order of their events.
    down: Vec<(i32, [f64; 2])>,
}

impl Fingers {
    /// A pointer goes down.
    pub fn press(&mut self, id: i32, at: [f64; 2]) {
        self.lift(id);
        self.down.push((id, at));
    }

    /// A pointer goes up.
    pub fn lift(&mut self, id: i32) {
        self.down.retain(|(known, _)| *known != id);
    }

    /// A pointer moves. One pans the picture, two also zoom, further ones are ignored.
    pub fn slide(&mut self, id: i32, at: [f64; 2]) -> Option<Move> {
        let before = self.grip();
        let (_, place) = self.down.iter_mut().find(|(known, _)| *known == id)?;
        *place = at;
        let ((from, spread), (to, new_spread)) = (before?, self.grip()?);
        // If both are at the same point, the ratio of their distances is undefined.
        let is_stretched = spread > 1.0 && new_spread > 1.0;
        let scale = if is_stretched {
            new_spread / spread
        } else {
            1.0
        };
        Some(Move { scale, from, to })
    }

    /// The midpoint of the first two pointers, and their distance.
    fn grip(&self) -> Option<([f64; 2], f64)> {
        match self.down[..] {
            [] => None,
            [(_, at)] => Some((at, 0.0)),
            [(_, [ax, ay]), (_, [bx, by]), ..] => {
                let middle = [(ax + bx) / 2.0, (ay + by) / 2.0];
                Some((middle, (ax - bx).hypot(ay - by)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: [f64; 2] = [200.0, 100.0];

    fn view() -> View {
        View::parse("0", "0", "2").unwrap()
    }

    fn number(text: String) -> f64 {
        text.parse().unwrap()
    }

    #[test]
    fn a_drag_takes_the_plane_along() {
        let mut fingers = Fingers::default();
        fingers.press(7, [50.0, 50.0]);
        let moved = fingers.slide(7, [70.0, 40.0]).unwrap();
        let mut view = view();
        moved.apply(&mut view, SIZE);
        // A pixel is 0.01 wide; the picture moved right and up, so the centre moves left and down.
        let (re, im) = view.centre();
        assert!((number(re) + 0.2).abs() < 1e-7 && (number(im) + 0.1).abs() < 1e-7);
        assert_eq!(fingers.slide(8, [0.0, 0.0]), None);
        fingers.lift(7);
        assert_eq!(fingers.slide(7, [0.0, 0.0]), None);
    }

    #[test]
    fn a_zoom_keeps_the_point_under_the_pointer() {
        let mut view = view();
        Move::zoom(4.0, [150.0, 25.0]).apply(&mut view, SIZE);
        // That point is 0.5 + 0.25i; the width of the view is divided by four around it.
        assert_eq!(number(view.width()), 0.5);
        let (re, im) = view.centre();
        assert!((number(re) - 0.375).abs() < 1e-7 && (number(im) - 0.1875).abs() < 1e-7);
    }

    #[test]
    fn two_fingers_stretch_and_drag() {
        let mut fingers = Fingers::default();
        fingers.press(1, [80.0, 50.0]);
        fingers.press(2, [120.0, 50.0]);
        let moved = fingers.slide(2, [160.0, 50.0]).unwrap();
        assert_eq!(moved.scale, 2.0);
        assert_eq!((moved.from, moved.to), ([100.0, 50.0], [120.0, 50.0]));
        fingers.press(3, [0.0, 0.0]);
        assert_eq!(fingers.slide(3, [9.0, 9.0]).unwrap().scale, 1.0);
        // Two pointers at the same point must not zoom to infinity.
        let moved = fingers.slide(2, [80.0, 50.0]).unwrap();
        assert_eq!(moved.scale, 1.0);
    }

    #[test]
    fn keys_and_the_wheel_go_both_ways() {
        assert!(wheel_scale(-120.0) > 1.0 && wheel_scale(120.0) < 1.0);
        assert!((wheel_scale(-50.0) * wheel_scale(50.0) - 1.0).abs() < 1e-12);
        assert!(wheel_scale(f64::INFINITY) > 0.0);
        for (one, other) in [
            ("+", "-"),
            ("ArrowLeft", "ArrowRight"),
            ("ArrowUp", "ArrowDown"),
        ] {
            let mut moved = view();
            key_move(one, SIZE).unwrap().apply(&mut moved, SIZE);
            assert_ne!(moved, view());
            key_move(other, SIZE).unwrap().apply(&mut moved, SIZE);
            assert_eq!(
                (moved.centre(), moved.width()),
                (view().centre(), view().width())
            );
        }
        let mut right = view();
        key_move("ArrowRight", SIZE)
            .unwrap()
            .apply(&mut right, SIZE);
        assert!(number(right.centre().0) > 0.0);
        let mut up = view();
        key_move("ArrowUp", SIZE).unwrap().apply(&mut up, SIZE);
        assert!(number(up.centre().1) > 0.0);
        assert_eq!(key_move("q", SIZE), None);
    }
}
