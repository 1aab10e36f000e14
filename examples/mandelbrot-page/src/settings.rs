//! What to show, as the address of the page says it.
//!
//! In: the query and the hash of an address; what the hash says counts. Out: settings, or a message
//! that names what is wrong. What always holds: the hash made from settings gives the same settings
//! again, to the last bit of the view.

use std::str::FromStr;

use mandelbrot::{Board, Limit, Palette, UnknownBoard, UnknownPalette, View, ViewError};

use crate::gesture::Move;

/// Why an address describes nothing to show.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The view cannot be read.
    #[error(transparent)]
    View(#[from] ViewError),
    /// There is no such board.
    #[error(transparent)]
    Board(#[from] UnknownBoard),
    /// There is no such palette.
    #[error(transparent)]
    Palette(#[from] UnknownPalette),
    /// A number is none, or out of range.
    #[error("{name} `{text}` is not {expected}")]
    Malformed {
        /// Which setting.
        name: &'static str,
        /// What the address has.
        text: String,
        /// What it should be.
        expected: &'static str,
    },
}

/// What to show, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The part of the plane.
    pub view: View,
    /// How it is computed.
    pub board: Board,
    /// Where iterations end.
    pub limit: Limit,
    /// Batches on the device at a time.
    pub slots: u32,
    /// Pixels of the picture; as many as the window has, if absent.
    pub size: Option<[u32; 2]>,
    /// The name of the colours.
    pub palette: String,
}

impl Settings {
    /// Reads an address. `aspect`, the width of the window in heights, decides how much of the plane
    /// is shown if the address does not say.
    pub fn parse(query: &str, hash: &str, aspect: f64) -> Result<Self, SettingsError> {
        let query = query.trim_start_matches('?');
        let hash = hash.trim_start_matches('#');
        // The hash comes first, so it is found first.
        let pairs = || hash.split('&').chain(query.split('&'));
        let get = |name: &str| {
            let mut pairs = pairs().filter_map(|pair| pair.split_once('='));
            pairs.find_map(|(key, value)| (key == name).then_some(value))
        };
        let whole = whole_set(aspect);
        let (re, im) = (get("re").unwrap_or("-0.75"), get("im").unwrap_or("0"));
        Ok(Self {
            view: rounded(&View::parse(re, im, get("width").unwrap_or(&whole))?)?,
            board: get("board").map_or(Ok(Board::Adaptive), Board::from_str)?,
            limit: get("limit").map_or(Ok(Limit::Auto), limit)?,
            slots: get("slots").map_or(Ok(2), slots)?,
            size: get("size").map(size).transpose()?,
            palette: palette(get("palette"))?,
        })
    }

    /// The hash that says what is shown.
    pub fn hash(&self) -> String {
        let (re, im) = self.view.centre();
        let width = self.view.width();
        let limit = limit_text(self.limit);
        let (board, palette) = (self.board, &self.palette);
        format!("#re={re}&im={im}&width={width}&board={board}&limit={limit}&palette={palette}")
    }

    /// Moves the view. Says whether that changed it.
    pub fn apply(&mut self, moved: Move, size: [f64; 2]) -> bool {
        let mut view = self.view.clone();
        moved.apply(&mut view, size);
        match rounded(&view) {
            Ok(view) if view != self.view => {
                self.view = view;
                true
            }
            _ => false,
        }
    }
}

/// The view as its texts have it, so that an address made from it shows the very same.
fn rounded(view: &View) -> Result<View, ViewError> {
    let (re, im) = view.centre();
    View::parse(&re, &im, &view.width())
}

/// The width at which the whole set fits into the window.
fn whole_set(aspect: f64) -> String {
    let width = if aspect.is_finite() {
        2.6 * aspect
    } else {
        0.0
    };
    format!("{:.2}", width.clamp(3.2, 100.0))
}

/// The text of a limit, as the address has it.
pub fn limit_text(limit: Limit) -> String {
    match limit {
        Limit::Auto => "auto".to_owned(),
        Limit::Iterations(limit) => limit.to_string(),
    }
}

/// A limit from its text.
pub fn limit(text: &str) -> Result<Limit, SettingsError> {
    match text {
        "auto" => Ok(Limit::Auto),
        text => number("limit", text, "auto or a number of iterations").map(Limit::Iterations),
    }
}

fn slots(text: &str) -> Result<u32, SettingsError> {
    let expected = "a number from 1 to 16";
    let slots = number("slots", text, expected)?;
    if (1..=16).contains(&slots) {
        Ok(slots)
    } else {
        Err(malformed("slots", text, expected))
    }
}

fn size(text: &str) -> Result<[u32; 2], SettingsError> {
    let expected = "a size such as 640x480";
    let (width, height) = text
        .split_once('x')
        .ok_or_else(|| malformed("size", text, expected))?;
    Ok([
        number("size", width, expected)?,
        number("size", height, expected)?,
    ])
}

fn palette(name: Option<&str>) -> Result<String, SettingsError> {
    match name {
        Some(name) => {
            Palette::from_str(name)?;
            Ok(name.to_owned())
        }
        None => Ok(Palette::names().next().unwrap_or_default().to_owned()),
    }
}

fn number(name: &'static str, text: &str, expected: &'static str) -> Result<u32, SettingsError> {
    text.parse().map_err(|_| malformed(name, text, expected))
}

fn malformed(name: &'static str, text: &str, expected: &'static str) -> SettingsError {
    SettingsError::Malformed {
        name,
        text: text.chars().take(40).collect(),
        expected,
    }
}

#[cfg(test)]
mod tests {
    use super::Settings;
    use crate::gesture::Move;
    use mandelbrot::{Board, Limit};

    #[test]
    fn an_empty_address_shows_the_whole_set() {
        let settings = Settings::parse("", "", 2.0).unwrap();
        assert_eq!(settings.view.width(), "5.2");
        assert_eq!(
            (settings.board, settings.limit),
            (Board::Adaptive, Limit::Auto)
        );
        assert_eq!((settings.slots, settings.size), (2, None));
        for aspect in [0.3, f64::NAN, f64::INFINITY] {
            let settings = Settings::parse("", "", aspect).unwrap();
            assert_eq!(settings.view.width(), "3.2");
        }
    }

    #[test]
    fn everything_can_be_said() {
        let query = "?re=-1.25&im=0.5&width=1e-30&size=256x192&limit=500&board=direct&slots=3&palette=ocean";
        let settings = Settings::parse(query, "", 1.0).unwrap();
        assert_eq!(settings.view.width(), "1e-30");
        assert_eq!(
            (settings.board, settings.limit),
            (Board::Direct, Limit::Iterations(500))
        );
        assert_eq!((settings.slots, settings.size), (3, Some([256, 192])));
        let again = Settings::parse(query, "#width=2&board=adaptive", 1.0).unwrap();
        assert_eq!(
            (again.view.width(), again.board),
            ("2".to_owned(), Board::Adaptive)
        );
        assert_eq!(again.view.centre().0, "-1.25");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (query, message) in [
            ("?width=wide", "width `wide` is not a decimal number"),
            (
                "?board=chess",
                "there is no board `chess`; there are direct, perturbation, adaptive",
            ),
            (
                "?limit=-1",
                "limit `-1` is not auto or a number of iterations",
            ),
            ("?slots=0", "slots `0` is not a number from 1 to 16"),
            ("?size=10", "size `10` is not a size such as 640x480"),
        ] {
            let error = Settings::parse(query, "", 1.0).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
        assert!(Settings::parse("?palette=none", "", 1.0).is_err());
    }

    #[test]
    fn the_hash_says_exactly_what_is_shown() {
        let digits = "1234567890".repeat(9);
        let query = format!("?re=-0.743{digits}&im=0.131{digits}&width=1.23456789e-9");
        let mut settings = Settings::parse(&query, "", 1.0).unwrap();
        for step in 0..50 {
            let again = Settings::parse("", &settings.hash(), 1.0).unwrap();
            assert_eq!(again, settings);
            let moved = Move {
                scale: 1.37,
                from: [100.0 + f64::from(step), 33.0],
                to: [101.5, 40.0],
            };
            assert!(settings.apply(moved, [640.0, 480.0]));
        }
        assert!(!settings.apply(Move::stay([1.0, 1.0]), [640.0, 480.0]));
    }
}
