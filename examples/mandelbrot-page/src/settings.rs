//! The settings in the address of the page.
//!
//! In: the query and the hash of an address; the hash takes precedence. Out: settings, or an error that names what is
//! wrong. What always holds: the hash of settings is parsed as the same settings, with a bitwise equal view.

use std::str::FromStr;

use mandelbrot::{Board, Limit, Palette, UnknownBoard, UnknownPalette, View, ViewError};

use crate::gesture::Move;

/// An invalid setting in an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The view is malformed or out of range.
    #[error(transparent)]
    View(#[from] ViewError),
    /// An unknown board.
    #[error(transparent)]
    Board(#[from] UnknownBoard),
    /// An unknown palette.
    #[error(transparent)]
    Palette(#[from] UnknownPalette),
    /// A number is malformed or out of range.
    #[error("{name} `{text}` is not {expected}")]
    Malformed {
        /// The name of the setting.
        name: &'static str,
        /// Its text in the address.
        text: String,
        /// The expected form.
        expected: &'static str,
    },
}

/// The view, and how it is computed and coloured.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The visible part of the complex plane.
    pub view: View,
    /// The board that computes it.
    pub board: Board,
    /// The iteration limit.
    pub limit: Limit,
    /// Maximal number of batches in flight.
    pub slots: u32,
    /// Size of the picture in pixels; by default that of the window.
    pub size: Option<[u32; 2]>,
    /// The name of the palette.
    pub palette: String,
}

impl Settings {
    /// Parses an address. `aspect` is the ratio of the window's width to its height, which determines the default view.
    pub fn parse(query: &str, hash: &str, aspect: f64) -> Result<Self, SettingsError> {
        let query = query.trim_start_matches('?');
        let hash = hash.trim_start_matches('#');
        // The first match counts, so the hash comes first.
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

    /// The hash that represents these settings.
    pub fn hash(&self) -> String {
        let (re, im) = self.view.centre();
        let width = self.view.width();
        let limit = limit_text(self.limit);
        let (board, palette) = (self.board, &self.palette);
        format!("#re={re}&im={im}&width={width}&board={board}&limit={limit}&palette={palette}")
    }

    /// Applies a gesture to the view. Returns whether the view changed.
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

/// The view parsed from its own text, so that an address made from it shows exactly the same.
fn rounded(view: &View) -> Result<View, ViewError> {
    let (re, im) = view.centre();
    View::parse(&re, &im, &view.width())
}

/// The width of a view of the whole set.
fn whole_set(aspect: f64) -> String {
    let width = if aspect.is_finite() {
        2.6 * aspect
    } else {
        0.0
    };
    format!("{:.2}", width.clamp(3.2, 100.0))
}

/// The text of a limit in an address.
pub fn limit_text(limit: Limit) -> String {
    match limit {
        Limit::Auto => "auto".to_owned(),
        Limit::Iterations(limit) => limit.to_string(),
    }
}

/// Parses a limit.
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
