//! WGSL templates: the files in `templates`.
//!
//! In: a template, flags and values. Out: WGSL. A line `//: if FLAG` begins lines that are kept if
//! the flag is set, `//: else` those that are kept otherwise, `//: end` ends them; conditions nest.
//! `$NAME`, in capital letters, is replaced by a value; unknown names are left alone, for a later
//! step. What always holds: values are not expanded again, and a line that consists of a name
//! becomes the lines of its value.

/// A template with its flags and values.
pub(super) struct Template<'a> {
    text: &'a str,
    flags: Vec<&'a str>,
    values: Vec<(&'a str, String)>,
}

impl<'a> Template<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            flags: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Sets a flag if a condition holds.
    pub(super) fn flag(mut self, name: &'a str, is_set: bool) -> Self {
        if is_set {
            self.flags.push(name);
        }
        self
    }

    /// Sets a value.
    pub(super) fn value(mut self, name: &'a str, value: impl ToString) -> Self {
        self.values.push((name, value.to_string()));
        self
    }

    /// The WGSL.
    pub(super) fn render(&self) -> String {
        let mut rendered = String::new();
        // For each open condition, whether its current branch is kept.
        let mut branches: Vec<bool> = Vec::new();
        for line in self.text.lines() {
            match line.strip_prefix("//: ") {
                Some("else") => {
                    if let Some(branch) = branches.last_mut() {
                        *branch = !*branch;
                    }
                }
                Some("end") => {
                    branches.pop();
                }
                Some(condition) => {
                    let flag = condition.strip_prefix("if ").unwrap_or(condition);
                    branches.push(self.flags.contains(&flag));
                }
                None if branches.contains(&false) => {}
                None => self.render_line(line, &mut rendered),
            }
        }
        rendered
    }

    fn render_line(&self, line: &str, rendered: &mut String) {
        let is_name = |name: &str| line.strip_prefix('$') == Some(name);
        if let Some((_, lines)) = self.values.iter().find(|(name, _)| is_name(name)) {
            rendered.push_str(lines);
            return;
        }
        let mut parts = line.split('$');
        rendered.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let end = part
                .find(|letter: char| !letter.is_ascii_uppercase())
                .unwrap_or(part.len());
            let (name, rest) = part.split_at(end);
            match self.values.iter().find(|(known, _)| *known == name) {
                Some((_, value)) => rendered.push_str(value),
                None => {
                    rendered.push('$');
                    rendered.push_str(name);
                }
            }
            rendered.push_str(rest);
        }
        rendered.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_choose_lines() {
        let text =
            "a\n//: if x\nb\n//: if y\nc\n//: end\n//: else\nd\n//: if y\ne\n//: end\n//: end\nf\n";
        let rendered = |x, y| Template::new(text).flag("x", x).flag("y", y).render();
        assert_eq!(rendered(true, true), "a\nb\nc\nf\n");
        assert_eq!(rendered(true, false), "a\nb\nf\n");
        assert_eq!(rendered(false, true), "a\nd\ne\nf\n");
        assert_eq!(rendered(false, false), "a\nd\nf\n");
    }

    #[test]
    fn names_become_values_once() {
        let template = Template::new("fn $NAME_$Nu($REST\n$LINES\n$RETURN")
            .value("NAME", "$N")
            .value("N", 7)
            .value("LINES", "x\ny\n");
        assert_eq!(template.render(), "fn $N_7u($REST\nx\ny\n$RETURN\n");
        assert_eq!(Template::new("").render(), "");
    }

    #[test]
    fn conditions_of_all_templates_are_closed() {
        for text in [
            include_str!("templates/admit.wgsl"),
            include_str!("templates/agree.wgsl"),
            include_str!("templates/budget.wgsl"),
            include_str!("templates/counted_output.wgsl"),
            include_str!("templates/declarations.wgsl"),
            include_str!("templates/entry_point.wgsl"),
            include_str!("templates/find_input_record.wgsl"),
            include_str!("templates/find_output_record.wgsl"),
            include_str!("templates/half_words.wgsl"),
            include_str!("templates/handles.wgsl"),
            include_str!("templates/queries.wgsl"),
            include_str!("templates/record_output.wgsl"),
            include_str!("templates/take.wgsl"),
            include_str!("templates/target.wgsl"),
        ] {
            let mut open = 0_i32;
            for directive in text.lines().filter_map(|line| line.strip_prefix("//: ")) {
                match directive {
                    "else" => assert!(open > 0, "{text}"),
                    "end" => open -= 1,
                    condition => {
                        assert!(condition.starts_with("if "), "{condition}");
                        open += 1;
                    }
                }
                assert!(open >= 0, "{text}");
            }
            assert_eq!(open, 0, "{text}");
        }
    }
}
