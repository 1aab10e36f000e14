//! Generates statements: assignments, branches, loops, calls.

use super::Scalar::{Bool, Double, Float, Int};
use super::{Generator, Type, Variable, declared};

impl Generator {
    pub(super) fn statements(&mut self, count: u64) {
        let scope = self.scope.len();
        for _ in 0..count {
            self.statement();
        }
        self.scope.truncate(scope);
    }

    pub(super) fn inner(&mut self) {
        self.depth += 1;
        let count = 1 + self.random.below(3);
        self.statements(count);
        self.depth -= 1;
    }

    pub(super) fn statement(&mut self) {
        let is_full = self.budget == 0 || self.depth > 3;
        self.budget = self.budget.saturating_sub(1);
        match self.random.below(16) {
            0 | 1 if !is_full => {
                let condition = self.number(Bool, 1, 2);
                self.line(&format!("if ({condition}) {{"));
                self.inner();
                if self.random.once_in(2) {
                    self.line("} else {");
                    self.inner();
                }
                self.line("}");
            }
            2 if !is_full && self.loops < 2 => {
                let i = self.fresh("i");
                let end = 2 + self.random.below(4);
                self.line(&format!("for (int {i} = 0; {i} < {end}; {i}++) {{"));
                self.scope.push(Variable {
                    name: i,
                    ty: Type::Vector(Int, 1),
                    is_constant: true,
                });
                self.loops += 1;
                self.inner();
                if self.random.once_in(3) {
                    let condition = self.number(Bool, 1, 1);
                    let jump = self.random.pick(&["break", "continue"]);
                    self.line(&format!("    if ({condition}) {jump};"));
                }
                self.loops -= 1;
                self.scope.pop();
                self.line("}");
            }
            3 if !is_full => {
                let selector = self.number(Int, 1, 1);
                self.line(&format!("switch ({selector} & 3) {{"));
                for case in 0..1 + self.random.below(3) {
                    self.line(&format!("case {case}: {{"));
                    self.inner();
                    let end = if self.random.once_in(3) {
                        "}"
                    } else {
                        "} break;"
                    };
                    self.line(end);
                }
                self.line("default: {");
                self.inner();
                self.line("} break;");
                self.line("}");
            }
            4 | 5 => {
                let ty = self.ty(2);
                let value = self.expression(&ty, 2);
                let name = self.fresh("v");
                let (named, lengths) = declared(&ty);
                let way = self.random.once_in(4);
                let prefix = if way { "const " } else { "" };
                self.line(&format!("{prefix}{named} {name}{lengths} = {value};"));
                self.scope.push(Variable {
                    name,
                    ty,
                    is_constant: way,
                });
            }
            6..=8 if !self.functions.is_empty() => self.call(),
            9 => self.swizzled(),
            10 => self.modified(),
            _ => self.assignment(),
        }
    }

    /// The type and the access path of a writable value in scope.
    pub(super) fn writable(&mut self) -> Option<(Type, String)> {
        let variables: Vec<_> = self.scope.iter().filter(|it| !it.is_constant).collect();
        let at = self.random.below(variables.len().max(1) as u64) as usize;
        let ty = variables.get(at)?.ty.clone();
        let ty = match ty {
            Type::Struct(number) if self.random.once_in(2) => {
                let members = self.structs[number].clone();
                members[self.random.below(members.len() as u64) as usize].clone()
            }
            Type::Array(element, _) if self.random.once_in(2) => *element,
            Type::Matrix(_, rows) if self.random.once_in(2) => Type::Vector(Float, rows),
            other => other,
        };
        let places = self.places(&ty, true);
        if places.is_empty() {
            return None;
        }
        let at = self.random.below(places.len() as u64) as usize;
        Some((ty, places[at].clone()))
    }

    pub(super) fn assignment(&mut self) {
        if let Some((ty, place)) = self.writable() {
            let value = self.expression(&ty, 3);
            self.line(&format!("{place} = {value};"));
        }
    }

    pub(super) fn swizzled(&mut self) {
        let Some((Type::Vector(scalar, width), place)) = self.writable() else {
            return self.assignment();
        };
        let (count, parts) = match width {
            2 => self.random.pick(&[(2, "yx"), (1, "x")]),
            3 => self.random.pick(&[(2, "zx"), (3, "yzx"), (1, "y")]),
            4 => self.random.pick(&[(2, "wy"), (3, "xwz"), (4, "wzyx")]),
            _ => return self.assignment(),
        };
        let value = self.number(scalar, count, 2);
        self.line(&format!("{place}.{parts} = {value};"));
    }

    /// Increments and compound assignments.
    pub(super) fn modified(&mut self) {
        let Some((Type::Vector(scalar, width), place)) = self.writable() else {
            return self.assignment();
        };
        match scalar {
            Bool | Float | Double => self.assignment(),
            _ => {
                if self.random.once_in(3) {
                    let operator = self.random.pick(&["++", "--"]);
                    return self.line(&format!("{place}{operator};"));
                }
                let value = self.other(scalar, width, 2);
                let operator = self.random.pick(&["+=", "-=", "*=", "&=", "|=", "^="]);
                self.line(&format!("{place} {operator} {value};"));
            }
        }
    }

    pub(super) fn call(&mut self) {
        let at = self.random.below(self.functions.len() as u64) as usize;
        let function = self.functions[at].clone();
        let mut arguments: Vec<String> = Vec::new();
        let mut taken: Vec<String> = Vec::new();
        for (way, ty) in &function.parameters {
            if *way == "in" {
                arguments.push(self.expression(ty, 2));
                continue;
            }
            // No variable is passed twice, since `out` parameters must not alias.
            let root = |place: &str| {
                let end = place.find(['.', '[']).unwrap_or(place.len());
                place[..end].to_owned()
            };
            let mut places = self.places(ty, true);
            places.retain(|it| !taken.contains(&root(it)));
            // Without a place, a new variable is passed.
            let place = if places.is_empty() {
                let name = self.fresh("v");
                let value = self.expression(ty, 1);
                let (named, lengths) = declared(ty);
                self.line(&format!("{named} {name}{lengths} = {value};"));
                name
            } else {
                places[self.random.below(places.len() as u64) as usize].clone()
            };
            taken.push(root(&place));
            arguments.push(place);
        }
        let call = format!("{}({})", function.name, arguments.join(", "));
        let mut places = self.places(&function.result, true);
        places.retain(|it| !taken.iter().any(|name| it.starts_with(name.as_str())));
        match places.first() {
            Some(place) => self.line(&format!("{place} = {call};")),
            None => self.line(&format!("{call};")),
        }
    }
}
