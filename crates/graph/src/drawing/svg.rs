//! Exports a drawing to SVG.

use std::fmt::Write;

use super::Drawing;
use super::layered_layout::{LayeredLayout, Rect, Size, layout};

/// Font size and line height.
const LETTERS: f64 = 12.0;
const LINE: f64 = 15.0;
/// The estimated width of a letter relative to its size; fonts differ.
const LETTER_WIDTH: f64 = 0.58;
/// Padding around the text of a box.
const PADDING: f64 = 10.0;
/// How far the arrow of a self-loop extends to the side.
const LOOP: f64 = 26.0;

const HEAD: &str = "\
<style>text { font: 12px sans-serif; fill: #1c2733 } .name { font-weight: bold } .label { font-size: 11px; \
paint-order: stroke; stroke: #fff; stroke-width: 4px; stroke-linejoin: round } .middle { text-anchor: middle } \
rect { fill: #eef3f8; stroke: #4a6785 } .edge { fill: none; stroke: #4a6785; marker-end: url(#head) } \
.shared { fill: none; stroke: #4a6785; stroke-dasharray: 4 3 }</style>
<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"#4a6785\"/></marker></defs>
";

fn size(lines: &[String], padding: f64) -> Size {
    let letters = lines.iter().map(|line| line.chars().count()).max();
    Size {
        width: letters.unwrap_or(0) as f64 * LETTERS * LETTER_WIDTH + 2.0 * padding,
        height: lines.len() as f64 * LINE + 2.0 * padding,
        beside: 0.0,
    }
}

/// The SVG text. Writing to a string cannot fail.
pub(super) fn write(drawing: &Drawing) -> String {
    let texts = texts(drawing);
    let mut boxes: Vec<_> = drawing
        .boxes
        .iter()
        .zip(&texts)
        .map(|(node, text)| (node.level, size(text, PADDING)))
        .collect();
    for arrow in drawing.arrows.iter().filter(|arrow| arrow.from == arrow.to) {
        let beside = &mut boxes[arrow.from].1.beside;
        *beside += LOOP + size(&arrow.lines, 4.0).width;
    }
    let arrows: Vec<_> = drawing
        .arrows
        .iter()
        .map(|arrow| (arrow.from, arrow.to, size(&arrow.lines, 2.0)))
        .collect();
    let layout = layout(&boxes, &arrows);
    let (width, height) = (layout.width.ceil(), layout.height.ceil());
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<title>{}</title>\n{HEAD}\
         <path d=\"M0 0H{width}V{height}H0z\" fill=\"#fff\"/>\n",
        escaped(&drawing.title)
    );
    write_shared(&mut text, drawing, &layout);
    write_arrows(&mut text, drawing, &layout);
    for (rect, lines) in layout.boxes.iter().zip(&texts) {
        write_box(&mut text, rect, lines);
    }
    text.push_str("</svg>\n");
    text
}

/// The lines of text of each box.
fn texts(drawing: &Drawing) -> Vec<Vec<String>> {
    let boxes = drawing.boxes.iter();
    boxes
        .map(|node| {
            let name = [&node.name].into_iter();
            name.chain(&node.lines).cloned().collect()
        })
        .collect()
}

fn write_box(text: &mut String, rect: &Rect, lines: &[String]) {
    let Size { width, height, .. } = rect.size;
    let _ = writeln!(
        text,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"8\"/>",
        rect.x - width / 2.0,
        rect.top
    );
    for (number, line) in lines.iter().enumerate() {
        let class = if number == 0 { "middle name" } else { "middle" };
        write_line(text, class, rect.x, rect.top + PADDING, number, line);
    }
}

fn write_line(text: &mut String, class: &str, x: f64, top: f64, number: usize, line: &str) {
    let y = top + LINE * number as f64 + LETTERS;
    let line = escaped(line);
    let _ = writeln!(
        text,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{line}</text>"
    );
}

/// Writes a dashed line between boxes that share an input.
fn write_shared(text: &mut String, drawing: &Drawing, layout: &LayeredLayout) {
    for &(owner, sharer) in &drawing.shared {
        let (from, to) = (&layout.boxes[owner], &layout.boxes[sharer]);
        let above = from.top.min(to.top) - 22.0;
        let _ = writeln!(
            text,
            "<path class=\"shared\" d=\"M{:.1} {:.1}C{:.1} {above:.1} {:.1} {above:.1} {:.1} {:.1}\"/>",
            from.x, from.top, from.x, to.x, to.x, to.top
        );
        let (x, top) = ((from.x + to.x) / 2.0, above - 7.0);
        write_line(text, "label middle", x, top, 0, "same input");
    }
}

fn write_arrows(text: &mut String, drawing: &Drawing, layout: &LayeredLayout) {
    let ports = Ports::new(drawing, layout);
    for (index, node) in drawing.boxes.iter().enumerate() {
        let Some(record) = &node.entry_record else {
            continue;
        };
        let (x, top) = (ports.entry[index], layout.boxes[index].top);
        let _ = writeln!(
            text,
            "<circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"#4a6785\"/>\n<path class=\"edge\" d=\"M{x:.1} {:.1}V{top:.1}\"/>",
            top - 27.0,
            top - 27.0
        );
        write_line(text, "label", x + 7.0, top - 31.0, 0, record);
    }
    let mut loops = vec![0.0; drawing.boxes.len()];
    for (index, arrow) in drawing.arrows.iter().enumerate() {
        let (from, to) = (&layout.boxes[arrow.from], &layout.boxes[arrow.to]);
        let (class, x, top) = if arrow.from == arrow.to {
            let beside = &mut loops[arrow.from];
            let x = write_loop(text, from, *beside);
            *beside += LOOP + size(&arrow.lines, 4.0).width;
            let middle = from.top + from.size.height / 2.0;
            ("label", x, middle - LINE * arrow.lines.len() as f64 / 2.0)
        } else {
            let points = &layout.paths[index];
            let start = (ports.out[index], from.bottom());
            let lines = size(&arrow.lines, 2.0).height;
            write_path(text, start, points, lines, (ports.into[index], to.top));
            let label = points.first().copied().unwrap_or_default();
            ("label middle", label.x, label.top + 2.0)
        };
        for (number, line) in arrow.lines.iter().enumerate() {
            write_line(text, class, x, top, number, line);
        }
    }
}

/// Writes a self-loop at the right side of a box, and returns the position of its label.
fn write_loop(text: &mut String, rect: &Rect, beside: f64) -> f64 {
    let x = rect.x + rect.size.width / 2.0;
    let (from, to) = (
        rect.top + rect.size.height * 0.3,
        rect.top + rect.size.height * 0.7,
    );
    let far = x + beside + LOOP;
    let _ = writeln!(
        text,
        "<path class=\"edge\" d=\"M{x:.1} {from:.1}C{far:.1} {:.1} {far:.1} {:.1} {x:.1} {to:.1}\"/>",
        from - 12.0,
        to + 12.0
    );
    x + beside + LOOP - 2.0
}

/// Writes a curve that is vertical where it crosses a row, with a gap for its label, which is the
/// first point.
fn write_path(text: &mut String, start: (f64, f64), points: &[Rect], label: f64, end: (f64, f64)) {
    let mut path = format!("M{:.1} {:.1}", start.0, start.1);
    let mut at = start;
    for (number, rect) in points.iter().enumerate() {
        curve(&mut path, &mut at, (rect.x, rect.top));
        if number == 0 {
            at.1 += label;
            let _ = write!(path, "M{:.1} {:.1}", at.0, at.1);
        }
        curve(&mut path, &mut at, (rect.x, rect.bottom()));
    }
    curve(&mut path, &mut at, end);
    let _ = writeln!(text, "<path class=\"edge\" d=\"{path}\"/>");
}

fn curve(path: &mut String, at: &mut (f64, f64), to: (f64, f64)) {
    let (x, middle) = (at.0, (at.1 + to.1) / 2.0);
    *at = to;
    let (to, end) = to;
    let _ = write!(
        path,
        "C{x:.1} {middle:.1} {to:.1} {middle:.1} {to:.1} {end:.1}"
    );
}

/// The points where arrows touch boxes, side by side in the order of the arrows.
struct Ports {
    out: Vec<f64>,
    into: Vec<f64>,
    entry: Vec<f64>,
}

impl Ports {
    fn new(drawing: &Drawing, layout: &LayeredLayout) -> Self {
        let arrows = drawing.arrows.iter().enumerate();
        let arrows: Vec<_> = arrows.filter(|(_, it)| it.from != it.to).collect();
        let mut ports = Self {
            out: vec![0.0; drawing.arrows.len()],
            into: vec![0.0; drawing.arrows.len()],
            entry: vec![0.0; drawing.boxes.len()],
        };
        let mut leaving = vec![Vec::new(); drawing.boxes.len()];
        let mut coming = vec![Vec::new(); drawing.boxes.len()];
        for (index, node) in drawing.boxes.iter().enumerate() {
            if node.entry_record.is_some() {
                coming[index].push((f64::NEG_INFINITY, None));
            }
        }
        for (index, arrow) in arrows {
            let points = &layout.paths[index];
            let x = |rect: Option<&Rect>| rect.map_or(0.0, |rect| rect.x);
            leaving[arrow.from].push((x(points.first()), Some(index)));
            coming[arrow.to].push((x(points.last()), Some(index)));
        }
        for (node, rect) in layout.boxes.iter().enumerate() {
            for (x, arrow) in spread(&mut leaving[node], rect) {
                if let Some(arrow) = arrow {
                    ports.out[arrow] = x;
                }
            }
            for (x, arrow) in spread(&mut coming[node], rect) {
                match arrow {
                    Some(arrow) => ports.into[arrow] = x,
                    None => ports.entry[node] = x,
                }
            }
        }
        ports
    }
}

/// Distributes arrow ends along the side of a box.
fn spread<T: Copy>(touching: &mut [(f64, T)], rect: &Rect) -> Vec<(f64, T)> {
    touching.sort_by(|a, b| a.0.total_cmp(&b.0));
    let step = rect.size.width / (touching.len() + 1) as f64;
    let left = rect.x - rect.size.width / 2.0;
    let ordered = touching.iter().enumerate();
    ordered
        .map(|(number, (_, what))| (left + step * (number + 1) as f64, *what))
        .collect()
}

/// Escapes text for XML.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                escaped.push(' ');
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use crate::model::{FieldType, Graph, Node, Output, RecordType};

    /// Checks that every tag is closed in order and that text contains no unescaped markup.
    fn assert_is_xml(text: &str) {
        let mut open = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find('<') {
            let between = &rest[..start];
            assert!(!between.contains('>'), "{between}");
            for entity in between.split('&').skip(1) {
                let known = ["amp;", "lt;", "gt;"];
                assert!(known.iter().any(|it| entity.starts_with(it)), "{between}");
            }
            let end = start + rest[start..].find('>').expect("a tag ends");
            let tag = &rest[start + 1..end];
            rest = &rest[end + 1..];
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(tag.split(' ').next().unwrap());
            }
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        }
        assert_eq!(open, [""; 0]);
        assert_eq!(rest, "\n");
    }

    #[test]
    fn nodes_edges_recursion_and_sharing_are_drawn() {
        let graph = Graph::builder("a <b> & \"c\"\u{1}")
            .record(RecordType::new("R").field("a", FieldType::U32))
            .node(
                Node::thread("n")
                    .entry()
                    .input_type("R")
                    .recursion(2)
                    .output(Output::of_type("n", "R", 3).named("again"))
                    .output(Output::empty_to("t", 1).share_budget("again"))
                    .output(Output::empty_to("u", 1)),
            )
            .node(Node::coalescing("t", 3, [8, 1, 1]).output(Output::empty_to("u", 2)))
            .node(Node::thread("s").share_input_of("t"))
            .node(Node::thread("u"))
            .build()
            .unwrap();
        let svg = graph.to_svg(None);
        assert_is_xml(&svg);
        for part in [
            "<title>a &lt;b&gt; &amp; \"c\" </title>",
            ">recursion 2</text>",
            ">again: R</text>",
            ">at most 3</text>",
            ">shares again</text>",
            ">coalescing up to 3, workgroup 8x1x1</text>",
            ">same input</text>",
        ] {
            assert!(svg.contains(part), "{part}\n{svg}");
        }
        let count = |part: &str| svg.matches(part).count();
        assert_eq!(count("<rect "), 4);
        // An input, a recursion and three arrows; the line of the shared input has no arrow head.
        assert_eq!(count("class=\"edge\""), 5);
        assert_eq!(count("class=\"shared\""), 1);
    }

    #[test]
    fn an_empty_graph_is_a_picture() {
        assert_is_xml(&Graph::builder("empty").build().unwrap().to_svg(None));
    }
}
