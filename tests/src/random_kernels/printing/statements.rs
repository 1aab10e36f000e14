//! Prints statements as WGSL: one line each, blocks in braces, loops with their counters.

use super::super::tree::{Expr, Loop, LoopForm, Statement};
use super::super::types::Scalar;
use super::{Printer, literal};

/// The step of strided loops.
const STRIDE: u32 = 8;

impl Printer {
    pub(super) fn block(&mut self, block: &[Statement]) {
        for statement in block {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let(name, value) => {
                // When overrides are resolved, naga folds constant expressions in a `let`, and may reject the result.
                let text = format!("let {name}: {} = {};", value.ty, self.divisor(value));
                self.line(&text);
            }
            Statement::Var(name, ty, value) => {
                let value = value.as_ref();
                let value = value.map_or(String::new(), |value| format!(" = {}", self.expr(value)));
                self.line(&format!("var {name}: {ty}{value};"));
            }
            Statement::Pointer(name, place) => {
                let text = format!("let {name} = &{};", self.place(place));
                self.line(&text);
            }
            Statement::Assign(place, operator, value) => {
                let target = self.place(place);
                let value = match *operator {
                    "/=" | "%=" | "<<=" | ">>=" => self.divisor(value),
                    _ => self.expr(value),
                };
                self.line(&format!("{target} {operator} {value};"));
            }
            Statement::Step(place, operator) => {
                let text = format!("{}{operator};", self.place(place));
                self.line(&text);
            }
            Statement::If(condition, then, otherwise) => self.branch(condition, then, otherwise),
            Statement::Switch(selector, cases) => {
                let head = format!("switch {} ", self.expr(selector));
                let scalar = selector.ty.scalar().unwrap_or(Scalar::I32);
                self.braces(&head, |printer| {
                    for case in cases {
                        let values = case.values.iter().map(|value| literal(scalar, *value));
                        let default = case.is_default.then(|| "default".to_owned());
                        let values: Vec<_> = values.chain(default).collect();
                        let head = match values.as_slice() {
                            [only] if only == "default" => "default: ".to_owned(),
                            _ => format!("case {}: ", values.join(", ")),
                        };
                        printer.braces(&head, |printer| printer.block(&case.body));
                    }
                });
            }
            Statement::Loop(inner) => self.repeat(inner),
            Statement::Block(block) => self.braces("", |printer| printer.block(block)),
            Statement::Break => self.line("break;"),
            Statement::Continue => self.line("continue;"),
            Statement::Return(None) => self.line("return;"),
            Statement::Return(Some(value)) => {
                let text = format!("return {};", self.expr(value));
                self.line(&text);
            }
            Statement::Call(index, arguments) => {
                let text = format!("{};", self.call(*index, arguments));
                self.line(&text);
            }
            Statement::Phony(value) => {
                let text = format!("_ = {};", self.expr(value));
                self.line(&text);
            }
            Statement::Atomic(operation, place, value) => {
                let mut text = self.expr(value);
                if place.ty.scalar().is_some_and(Scalar::is_float) {
                    // So small that the sum of all is exact.
                    text = format!("fract({text} * 0.125) * 8.0");
                }
                let text = format!("{operation}(&{}, {text});", self.place(place));
                self.line(&text);
            }
            Statement::Store(name, value) => {
                let text = format!("{name}({});", self.expr(value));
                self.line(&text);
            }
        }
    }

    fn branch(&mut self, condition: &Expr, then: &[Statement], otherwise: &[Statement]) {
        let head = format!("if {} ", self.expr(condition));
        self.braces(&head, |printer| printer.block(then));
        if !otherwise.is_empty() {
            self.out.truncate(self.out.trim_end().len());
            self.out += " else {\n";
            self.depth += 1;
            self.block(otherwise);
            self.depth -= 1;
            self.line("}");
        }
    }

    fn repeat(&mut self, inner: &Loop) {
        let Loop {
            form,
            counter: c,
            count: n,
            ..
        } = inner;
        match form {
            LoopForm::For => {
                let head = format!("for (var {c} = 0u; {c} < {n}u; {c}++) ");
                self.braces(&head, |printer| printer.block(&inner.body));
            }
            LoopForm::CountDown => {
                let head = format!("for (var {c} = {n}i; {c} > 0i; {c}--) ");
                self.braces(&head, |printer| printer.block(&inner.body));
            }
            LoopForm::Strided => {
                let end = n * STRIDE;
                let head = format!("for (var {c} = lid; {c} < {end}u; {c} += {STRIDE}u) ");
                self.braces(&head, |printer| printer.block(&inner.body));
            }
            LoopForm::While | LoopForm::BreakIf | LoopForm::Continuing => {
                self.braces("", |printer| {
                    printer.line(&format!("var {c} = 0u;"));
                    let head = match form {
                        LoopForm::While => format!("while {c} < {n}u "),
                        _ => "loop ".to_owned(),
                    };
                    printer.braces(&head, |printer| printer.repeat_body(inner));
                });
            }
        }
    }

    fn repeat_body(&mut self, inner: &Loop) {
        let (c, n) = (&inner.counter, inner.count);
        match inner.form {
            LoopForm::While => self.line(&format!("{c}++;")),
            LoopForm::Continuing => self.line(&format!("if {c} >= {n}u {{ break; }}")),
            LoopForm::BreakIf | LoopForm::For | LoopForm::CountDown | LoopForm::Strided => {}
        }
        self.block(&inner.body);
        if inner.form != LoopForm::While {
            self.braces("continuing ", |printer| {
                printer.block(&inner.continuing);
                printer.line(&format!("{c}++;"));
                if inner.form == LoopForm::BreakIf {
                    printer.line(&format!("break if {c} >= {n}u;"));
                }
            });
        }
    }
}
