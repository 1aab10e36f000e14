//! The bodies of a random graph's nodes, as WGSL.

use std::fmt::Write;

use anywarp_graph::model::{InputAccess, Launch, ResolvedNode, ResolvedOutput, Scalar};

use crate::random::shape::{Body, Component, MIX, OutputBody, Shape, Style, salt};

/// The text of a node whose function is `body`.
pub(crate) fn text(shape: &Shape, node: usize) -> String {
    let writer = Writer {
        shape,
        node: &shape.graph.nodes()[node],
        body: &shape.bodies[node],
    };
    writer.text()
}

const LOG: &str = "\
@group(0) @binding(0) var<storage, read_write> entries: array<atomic<u32>>;
fn note(what: u32) {
    let at = 1u + 2u * atomicAdd(&entries[0], 1u);
    if at + 1u < arrayLength(&entries) {
        atomicStore(&entries[at], NODE);
        atomicStore(&entries[at + 1u], what);
    }
}
";

struct Writer<'a> {
    shape: &'a Shape,
    node: &'a ResolvedNode,
    body: &'a Body,
}

/// A field, or an element of one.
fn by_element(parts: &[Component]) -> Vec<Vec<Component>> {
    let mut found: Vec<Vec<Component>> = Vec::new();
    for part in parts {
        match found.last_mut() {
            Some(last) if last[0].field == part.field && last[0].element == part.element => {
                last.push(part.clone());
            }
            _ => found.push(vec![part.clone()]),
        }
    }
    found
}

fn arguments(first: &[&str], element: Option<u32>, last: Option<&str>) -> String {
    let element = element.map(|element| format!("{element}u"));
    let first = first
        .iter()
        .filter(|it| !it.is_empty())
        .map(|it| (*it).to_owned());
    let all = first.chain(element).chain(last.map(str::to_owned));
    all.collect::<Vec<_>>().join(", ")
}

/// The value of a component for a hash.
fn value(part: &Component, hash: &str) -> String {
    match (part.limit, part.scalar) {
        (Some(limit), _) => format!("{hash} % {}u", limit + 1),
        (None, Scalar::F32) => format!("f32({hash} & 0xffffffu)"),
        (None, Scalar::I32) => format!("bitcast<i32>({hash})"),
        // Halves are cut off by the store.
        (None, _) => hash.to_owned(),
    }
}

fn wgsl_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::F32 => "f32",
        Scalar::I32 => "i32",
        _ => "u32",
    }
}

/// The value of a whole element.
fn element_value(parts: &[Component], v: &str) -> String {
    let values = parts
        .iter()
        .map(|part| value(part, &format!("mix_in({v}, {}u)", part.salt)));
    let values: Vec<_> = values.collect();
    match parts.len() {
        1 => values.concat(),
        n => format!(
            "vec{n}<{}>({})",
            wgsl_type(parts[0].scalar),
            values.join(", ")
        ),
    }
}

/// Adds what a load gives to a digest.
fn digest_element(parts: &[Component], load: &str) -> String {
    let mut text = format!("    {{\n    let value = {load};\n");
    for part in parts {
        let component = match part.of {
            1 => String::new(),
            _ => format!("[{}]", part.component),
        };
        let _ = writeln!(
            text,
            "    digest = mix_in(digest, bitcast<u32>(value{component}));"
        );
    }
    text.push_str("    }\n");
    text
}

impl Writer<'_> {
    fn text(&self) -> String {
        let mut text = format!("const NODE: u32 = {}u;\n{LOG}{MIX}", self.body.number);
        self.digest(&mut text);
        self.own(&mut text);
        let outputs = self.node.resolved_outputs.iter().zip(&self.body.outputs);
        for (number, (output, body)) in outputs.enumerate() {
            self.make(&mut text, output);
            match body.style {
                Style::Group => self.group_count(&mut text, number, body),
                Style::Thread | Style::Last => self.send_own(&mut text, number, output, body),
            }
        }
        match self.node.launch {
            Launch::Thread => text.push_str("fn body() {\n    handle(0u);\n}\n"),
            Launch::Coalescing { .. } => self.coalescing(&mut text),
            Launch::Broadcasting { .. } => self.broadcasting(&mut text),
        }
        text
    }

    fn is_coalescing(&self) -> bool {
        matches!(self.node.launch, Launch::Coalescing { .. })
    }

    fn record_argument(&self) -> &'static str {
        if self.is_coalescing() { "i" } else { "" }
    }

    fn digest(&self, text: &mut String) {
        text.push_str("fn digest_of(i: u32) -> u32 {\n    var digest = NODE;\n");
        for word in 0..self.body.words {
            let _ = writeln!(
                text,
                "    digest = mix_in(digest, local_argument_u32({word}u));"
            );
        }
        let parts = self.shape.components(self.node.record);
        for parts in by_element(&parts) {
            let part = &parts[0];
            if Some(&part.field) == self.body.sum.as_ref() {
                continue;
            }
            let uniform = self.body.uniform && part.element.is_none();
            let verb = if uniform { "uniform" } else { "load" };
            let arguments = arguments(&[self.record_argument()], part.element, None);
            let load = format!("{verb}_input_{}({arguments})", part.field);
            text.push_str(&digest_element(&parts, &load));
        }
        text.push_str("    return digest;\n}\n");
    }

    /// What an invocation does with a record of its own.
    fn own(&self, text: &mut String) {
        if matches!(self.node.launch, Launch::Broadcasting { .. }) {
            return;
        }
        text.push_str(
            "fn handle(i: u32) {\n    let key = digest_of(i);\n    \
             note(mix_in(key, remaining_recursion_levels()));\n",
        );
        for (number, output) in self.body.outputs.iter().enumerate() {
            if output.style == Style::Thread {
                let _ = writeln!(text, "    send_{number}(key);");
            }
        }
        if self.node.access == InputAccess::ReadWrite {
            let _ = writeln!(text, "    let v = mix_in(key, {}u);", salt::REWRITTEN);
            for parts in by_element(&self.shape.components(self.node.record)) {
                let (field, element) = (&parts[0].field, parts[0].element);
                let value = element_value(&parts, "v");
                let arguments = arguments(&[self.record_argument()], element, Some(&value));
                let _ = writeln!(text, "    store_input_{field}({arguments});");
            }
            text.push_str("    note(digest_of(i));\n");
        }
        text.push_str("}\n");
    }

    /// Fills one record of an output.
    fn make(&self, text: &mut String, output: &ResolvedOutput) {
        if output.record.is_none() {
            return;
        }
        let name = &output.name;
        let _ = writeln!(
            text,
            "fn fill_{name}(r: Records_{name}, at: u32, k: u32, place: u32, only: u32, lanes: u32) {{\n    \
             let v = mix_in(k, {}u + place);",
            salt::RECORD
        );
        let elements = by_element(&self.shape.components(output.record));
        for (number, parts) in elements.iter().enumerate() {
            let (field, element) = (&parts[0].field, parts[0].element);
            let value = element_value(parts, "v");
            let arguments = arguments(&["r", "at"], element, Some(&value));
            let _ = writeln!(
                text,
                "    if (place + {number}u) % lanes == only {{ store_{name}_{field}({arguments}); }}"
            );
        }
        text.push_str("}\n");
    }

    fn count(&self, body: &OutputBody) -> String {
        let count = if body.is_full {
            format!("{}u", body.each)
        } else {
            format!("k % {}u", body.each + 1)
        };
        format!(
            "select(0u, {count}, (k >> 8u) % {}u == 0u)",
            self.shape.thin
        )
    }

    /// The index of an array and how it is passed.
    fn index(body: &OutputBody, k: &str) -> (String, &'static str) {
        match body.indices {
            None => (String::new(), ""),
            Some(most) => {
                let index = format!("    let index = mix_in({k}, {}u) % {most}u;\n", salt::INDEX);
                (index, "index")
            }
        }
    }

    fn send_own(
        &self,
        text: &mut String,
        number: usize,
        output: &ResolvedOutput,
        body: &OutputBody,
    ) {
        let name = &output.name;
        let (let_index, index) = Self::index(body, "k");
        let comma = if index.is_empty() { "" } else { ", " };
        let count = match body.style {
            Style::Last => "1u".to_owned(),
            Style::Thread | Style::Group => self.count(body),
        };
        let _ = writeln!(
            text,
            "fn send_{number}(key: u32) {{\n    let k = mix_in(key, {}u);\n    let count = {count};\n{let_index}    \
             if count > 0u && !is_valid_{name}({index}) {{ note(mix_in(k, {}u)); return; }}",
            salt::OUTPUT + number as u32,
            salt::INVALID
        );
        if output.record.is_none() {
            let _ = writeln!(text, "    count_thread_{name}({index}{comma}count);\n}}");
            return;
        }
        let _ = writeln!(
            text,
            "    let r = alloc_thread_{name}({index}{comma}count);\n    \
             for (var place = 0u; place < count; place++) {{\n    \
             fill_{name}(r, place, k, place, 0u, 1u);"
        );
        if body.reads_back {
            text.push_str("    var digest = k;\n");
            for parts in by_element(&self.shape.components(output.record)) {
                let arguments = arguments(&["r", "place"], parts[0].element, None);
                let load = format!("load_{name}_{}({arguments})", parts[0].field);
                text.push_str(&digest_element(&parts, &load));
            }
            let _ = writeln!(text, "    note(mix_in(digest, {}u));", salt::READ_BACK);
        }
        let _ = writeln!(text, "    }}\n    complete_{name}(r);\n}}");
    }

    fn group_count(&self, text: &mut String, number: usize, body: &OutputBody) {
        let count = self.count(body);
        let _ = writeln!(
            text,
            "fn key_{number}(key: u32) -> u32 {{\n    return mix_in(key, {}u);\n}}\n\
             fn count_{number}(k: u32) -> u32 {{\n    return {count};\n}}",
            salt::OUTPUT + number as u32,
        );
    }

    fn coalescing(&self, text: &mut String) {
        let threads = self.body.threads;
        let mut body = String::new();
        let outputs = self.node.resolved_outputs.iter().zip(&self.body.outputs);
        for (number, (output, out)) in outputs.enumerate() {
            if out.style != Style::Group {
                continue;
            }
            let name = &output.name;
            let (let_index, index) = Self::index(out, &format!("mix_in(NODE, {number}u)"));
            let comma = if index.is_empty() { "" } else { ", " };
            let _ = writeln!(
                body,
                "    {{\n{let_index}    if is_valid_{name}({index}) {{\n    var total = 0u;\n    \
                 for (var i = 0u; i < input_count; i++) {{ total += count_{number}(key_{number}(digest_of(i))); }}"
            );
            if output.record.is_none() {
                let _ = writeln!(body, "    count_group_{name}({index}{comma}total);");
            } else {
                let _ = writeln!(
                    body,
                    "    let r = alloc_group_{name}({index}{comma}total);\n    var first = 0u;\n    \
                     for (var i = 0u; i < input_count; i++) {{\n    \
                     let k = key_{number}(digest_of(i));\n    let count = count_{number}(k);\n    \
                     for (var place = 0u; place < count; place++) {{\n    \
                     fill_{name}(r, first + place, k, place, local_index, {threads}u);\n    }}\n    first += count;\n    }}\n    \
                     complete_{name}(r);"
                );
            }
            let _ = writeln!(
                body,
                "    }} else if local_index == 0u {{\n    for (var i = 0u; i < input_count; i++) {{ \
                 note(mix_in(key_{number}(digest_of(i)), {}u)); }}\n    }}\n    }}",
                salt::INVALID
            );
        }
        if self.node.access == InputAccess::ReadWrite {
            body.push_str("    workgroupBarrier();\n    storageBarrier();\n");
        }
        let _ = writeln!(
            text,
            "fn body(local_index: u32, input_count: u32) {{\n{body}    \
             for (var i = local_index; i < input_count; i += {threads}u) {{ handle(i); }}\n}}"
        );
    }

    fn broadcasting(&self, text: &mut String) {
        let threads = self.body.threads;
        let mut body = String::from(
            "    let digest = digest_of(0u);\n    var key = mix_in(digest, remaining_recursion_levels());\n    \
             for (var side = 0u; side < 3u; side++) { key = mix_in(key, group_id[side]); }\n    \
             for (var side = 0u; side < 3u; side++) { key = mix_in(key, grid[side]); }\n",
        );
        let outputs = self.node.resolved_outputs.iter().zip(&self.body.outputs);
        for (number, (output, out)) in outputs.enumerate() {
            if out.style != Style::Group {
                continue;
            }
            let name = &output.name;
            let (let_index, index) = Self::index(out, "k");
            let comma = if index.is_empty() { "" } else { ", " };
            let _ = writeln!(
                body,
                "    {{\n    let k = key_{number}(mix_in(key, {}u));\n{let_index}    \
                 let is_valid = is_valid_{name}({index});\n    \
                 let count = select(0u, count_{number}(k), is_valid);\n    \
                 if !is_valid && local_index == 0u {{ note(mix_in(k, {}u)); }}",
                salt::GROUP,
                salt::INVALID
            );
            if output.record.is_none() {
                let _ = writeln!(body, "    count_group_{name}({index}{comma}count);\n    }}");
                continue;
            }
            let _ = writeln!(
                body,
                "    let r = alloc_group_{name}({index}{comma}count);\n    \
                 for (var place = 0u; place < count; place++) {{\n    \
                 fill_{name}(r, place, k, place, local_index, {threads}u);\n    }}\n    \
                 complete_{name}(r);\n    }}"
            );
        }
        body.push_str(
            "    var own = mix_in(key, local_index);\n    \
             for (var side = 0u; side < 3u; side++) {\n    \
             own = mix_in(own, local_id[side]);\n    own = mix_in(own, global_id[side]);\n    }\n    note(own);\n",
        );
        for (number, out) in self.body.outputs.iter().enumerate() {
            if out.style == Style::Thread {
                let _ = writeln!(body, "    send_{number}(own);");
            }
        }
        if let Some(sum) = &self.body.sum {
            self.sum(&mut body, sum);
        }
        let _ = writeln!(
            text,
            "fn body(group_id: vec3<u32>, grid: vec3<u32>, local_id: vec3<u32>, global_id: vec3<u32>, local_index: u32) {{\n{body}}}"
        );
    }

    fn sum(&self, body: &mut String, sum: &str) {
        let _ = writeln!(
            body,
            "    if local_index == 0u {{ atomic_add_input_{sum}(mix_in(key, {}u)); }}",
            salt::ADDED
        );
        if self.node.access != InputAccess::Tracked {
            return;
        }
        let _ = writeln!(
            body,
            "    if finished_cross_group_sharing() && local_index == {}u {{\n    \
             let total = mix_in(mix_in(digest, atomic_add_input_{sum}(0u)), {}u);\n    note(total);",
            self.body.threads - 1,
            salt::TOTAL
        );
        for (number, out) in self.body.outputs.iter().enumerate() {
            if out.style == Style::Last {
                let _ = writeln!(body, "    send_{number}(total);");
            }
        }
        body.push_str("    }\n");
    }
}
