//! Layered graph layout (Sugiyama's method).
//!
//! In: sizes of boxes with their levels, and arrows with the sizes of their labels. Out: a position
//! for each. What always holds: boxes of a level are in one row, deeper levels are further down,
//! and no two boxes or labels overlap.
//!
//! A row of labels lies between two rows of boxes. An arrow that crosses other rows has a point (a
//! dummy node) in each. Rows are sorted by the barycenter of the neighbours, and positions are as
//! near to the barycenter as the order and the widths allow.

use std::collections::BTreeSet;

/// Horizontal gap between the items of a row.
const GAP: f64 = 26.0;
/// Vertical gap between a row of boxes and the labels below it.
const ABOVE_LABELS: f64 = 16.0;
/// Vertical gap between labels and the boxes below, for inputs and arrow heads.
const BELOW_LABELS: f64 = 34.0;
/// Margin of the whole drawing.
const MARGIN: f64 = 20.0;
/// The number of sweeps that sort and move the rows.
const ROUNDS: usize = 8;

/// The size of an item.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
    /// Additional space at the right side.
    pub(super) beside: f64,
}

/// The position of an item.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rect {
    /// The horizontal centre.
    pub(super) x: f64,
    pub(super) top: f64,
    pub(super) size: Size,
}

impl Rect {
    pub(super) fn bottom(&self) -> f64 {
        self.top + self.size.height
    }
}

/// The layout of a whole drawing.
pub(super) struct LayeredLayout {
    pub(super) boxes: Vec<Rect>,
    /// For each arrow the label and the points of its path; empty for a self-loop.
    pub(super) paths: Vec<Vec<Rect>>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// An item of a row.
struct Item {
    size: Size,
    x: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

/// The rows of the layout. Boxes are the first items.
struct Rows {
    items: Vec<Item>,
    /// Alternating rows of boxes and labels.
    rows: Vec<Vec<usize>>,
    row_of: Vec<usize>,
}

/// Computes the layout. Arrows lead to deeper levels, or back to their box.
pub(super) fn layout(boxes: &[(u32, Size)], arrows: &[(usize, usize, Size)]) -> LayeredLayout {
    let levels: BTreeSet<_> = boxes.iter().map(|(level, _)| *level).collect();
    let levels: Vec<_> = levels.into_iter().collect();
    let row = |level: u32| 2 * levels.partition_point(|&other| other < level);
    let mut rows = Rows {
        items: Vec::new(),
        rows: vec![Vec::new(); (2 * levels.len()).saturating_sub(1)],
        row_of: Vec::new(),
    };
    for &(level, size) in boxes {
        rows.add(row(level), size);
    }
    let paths: Vec<_> = arrows.iter().map(|arrow| rows.join(arrow)).collect();
    rows.sort();
    rows.spread();
    rows.finish(boxes.len(), &paths)
}

impl Rows {
    fn add(&mut self, row: usize, size: Size) -> usize {
        let item = self.items.len();
        self.items.push(Item {
            size,
            x: 0.0,
            above: Vec::new(),
            below: Vec::new(),
        });
        self.rows[row].push(item);
        self.row_of.push(row);
        item
    }

    /// Adds the items of an arrow between two boxes.
    fn join(&mut self, &(from, to, label): &(usize, usize, Size)) -> Vec<usize> {
        let mut points = Vec::new();
        let mut last = from;
        for row in self.row_of[from] + 1..self.row_of[to] {
            let size = if last == from { label } else { Size::default() };
            let item = self.add(row, size);
            self.link(last, item);
            points.push(item);
            last = item;
        }
        if from != to {
            self.link(last, to);
        }
        points
    }

    fn link(&mut self, above: usize, below: usize) {
        self.items[above].below.push(below);
        self.items[below].above.push(above);
    }

    /// The mean over the neighbours in the rows above or below (barycenter); the item's own
    /// position if there are none.
    fn mean(&self, item: usize, down: bool, of: impl Fn(usize) -> f64) -> f64 {
        let item_at = &self.items[item];
        let neighbours = if down { &item_at.above } else { &item_at.below };
        if neighbours.is_empty() {
            return of(item);
        }
        neighbours.iter().map(|&other| of(other)).sum::<f64>() / neighbours.len() as f64
    }

    /// The order of processing: rows downwards, then upwards.
    fn in_turn(&self) -> Vec<(bool, usize)> {
        let rows = self.rows.len();
        let round = |round: usize| {
            let down = round.is_multiple_of(2);
            (0..rows).map(move |row| (down, if down { row } else { rows - 1 - row }))
        };
        (0..ROUNDS).flat_map(round).collect()
    }

    fn sort(&mut self) {
        let mut order = vec![0.0; self.items.len()];
        let number = |row: &[usize], order: &mut Vec<f64>| {
            for (position, &item) in row.iter().enumerate() {
                // Rows of different lengths are compared relative to their centres.
                order[item] = position as f64 - row.len() as f64 / 2.0;
            }
        };
        for row in &self.rows {
            number(row, &mut order);
        }
        for (down, row) in self.in_turn() {
            let mut items = std::mem::take(&mut self.rows[row]);
            items.sort_by(|&a, &b| {
                let of = |item: usize| self.mean(item, down, |other| order[other]);
                of(a).total_cmp(&of(b))
            });
            number(&items, &mut order);
            self.rows[row] = items;
        }
    }

    fn spread(&mut self) {
        for (down, row) in self.in_turn() {
            let wishes: Vec<_> = self.rows[row]
                .iter()
                .map(|&item| self.mean(item, down, |other| self.items[other].x))
                .collect();
            let distances: Vec<_> = self.rows[row]
                .windows(2)
                .map(|pair| {
                    let (left, right) = (self.items[pair[0]].size, self.items[pair[1]].size);
                    left.width / 2.0 + left.beside + GAP + right.width / 2.0
                })
                .collect();
            for (&item, x) in self.rows[row].iter().zip(apart(&wishes, &distances)) {
                self.items[item].x = x;
            }
        }
    }

    fn finish(&self, boxes: usize, paths: &[Vec<usize>]) -> LayeredLayout {
        let left = |item: &Item| item.x - item.size.width / 2.0;
        let first = self.items.iter().map(left).fold(f64::INFINITY, f64::min);
        let shift = if first.is_finite() {
            MARGIN - first
        } else {
            0.0
        };
        let height = |row: &Vec<usize>| {
            let heights = row.iter().map(|&item| self.items[item].size.height);
            heights.fold(0.0, f64::max)
        };
        let heights: Vec<_> = self.rows.iter().map(height).collect();
        let mut tops = Vec::new();
        let mut top = MARGIN;
        for (row, height) in heights.iter().enumerate() {
            top += if row % 2 == 0 {
                BELOW_LABELS
            } else {
                ABOVE_LABELS
            };
            tops.push(top);
            top += height;
        }
        let rect = |item: usize| {
            let row = self.row_of[item];
            let mut size = self.items[item].size;
            if item >= boxes {
                // A path crosses the whole height of a row.
                size.height = heights[row];
            }
            Rect {
                x: self.items[item].x + shift,
                top: tops[row],
                size,
            }
        };
        let right = |item: &Item| item.x + item.size.width / 2.0 + item.size.beside;
        let last = self.items.iter().map(right).fold(0.0, f64::max);
        LayeredLayout {
            boxes: (0..boxes).map(rect).collect(),
            paths: paths
                .iter()
                .map(|points| points.iter().map(|&item| rect(item)).collect())
                .collect(),
            width: last + shift + MARGIN,
            height: top + MARGIN,
        }
    }
}

/// Positions as near as possible to `wishes` in the least-squares sense, each at least a distance
/// after the one before: isotonic regression by pooling adjacent violators.
fn apart(wishes: &[f64], distances: &[f64]) -> Vec<f64> {
    let mut offsets = vec![0.0];
    for distance in distances {
        offsets.push(offsets.last().copied().unwrap_or(0.0) + distance);
    }
    // Sum and length of each run that shares a mean.
    let mut runs: Vec<(f64, usize)> = Vec::new();
    for (wish, offset) in wishes.iter().zip(&offsets) {
        let mut run = (wish - offset, 1);
        while let Some(&(sum, length)) = runs.last()
            && sum / length as f64 > run.0 / run.1 as f64
        {
            run = (run.0 + sum, run.1 + length);
            runs.pop();
        }
        runs.push(run);
    }
    let means = runs
        .iter()
        .flat_map(|&(sum, length)| std::iter::repeat_n(sum / length as f64, length));
    means
        .zip(offsets)
        .map(|(mean, offset)| mean + offset)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_apart_and_near_their_wishes() {
        assert!(apart(&[], &[]).is_empty());
        assert_eq!(apart(&[0.0, 100.0], &[10.0]), [0.0, 100.0]);
        assert_eq!(apart(&[5.0, 5.0, 5.0], &[10.0, 10.0]), [-5.0, 5.0, 15.0]);
        assert_eq!(apart(&[0.0, 50.0, 50.0], &[10.0, 20.0]), [0.0, 40.0, 60.0]);
    }

    fn overlap(a: &Rect, b: &Rect) -> bool {
        let across = (a.x - b.x).abs() < (a.size.width + b.size.width) / 2.0;
        across && a.top < b.bottom() && b.top < a.bottom()
    }

    /// Many boxes and arrows, with sizes and levels derived from their indices.
    #[test]
    fn nothing_overlaps() {
        let size = |number: usize| Size {
            width: 40.0 + (number * 37 % 90) as f64,
            height: 20.0 + (number * 13 % 40) as f64,
            beside: (number % 5 * 20) as f64,
        };
        let boxes: Vec<_> = (0..24).map(|it| (it as u32 * 7 % 6, size(it))).collect();
        let arrows: Vec<_> = (0..24)
            .flat_map(|from| (0..24).map(move |to| (from, to)))
            .filter(|&(from, to)| boxes[from].0 < boxes[to].0 && (from * 5 + to) % 4 == 0)
            .map(|(from, to)| (from, to, size(from + to)))
            .collect();
        let layout = layout(&boxes, &arrows);
        let labels = layout.paths.iter().map(|points| points[0]);
        let all: Vec<_> = layout.boxes.iter().copied().chain(labels).collect();
        for (index, a) in all.iter().enumerate() {
            assert!(a.x - a.size.width / 2.0 >= 0.0 && a.top >= 0.0);
            assert!(a.x + a.size.width / 2.0 <= layout.width && a.bottom() <= layout.height);
            assert!(all[..index].iter().all(|b| !overlap(a, b)), "{a:?}");
        }
        for (points, &(from, to, _)) in layout.paths.iter().zip(&arrows) {
            assert!(points[0].top > layout.boxes[from].top);
            assert!(
                points
                    .last()
                    .is_some_and(|last| last.top < layout.boxes[to].top)
            );
        }
    }
}
