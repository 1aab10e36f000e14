//! Generates a whole program: functions, variables, and the output of all values at the end.

use std::fmt::Write;

use super::Scalar::{Bool, Double, Float, Int, Int8, Int16, Int64, Uint, Uint8, Uint16, Uint64};
use super::text::{END, HEAD, MAIN, SUBGROUPS, helpers};
use super::{
    Constant, Extras, FLOATS, Function, Generator, Made, Scalar, Type, Variable, WORDS, declared,
    named,
};

impl Generator {
    pub(super) fn function(&mut self) {
        let name = self.fresh("f");
        let result = self.ty(1);
        let parameters: Vec<_> = (0..1 + self.random.below(4))
            .map(|_| (self.random.pick(&["in", "inout", "out"]), self.ty(1)))
            .collect();
        let (result_name, lengths) = declared(&result);
        let declared: Vec<_> = parameters
            .iter()
            .enumerate()
            .map(|(number, (way, ty))| {
                let (named, lengths) = declared(ty);
                format!("{way} {named} a{number}{lengths}")
            })
            .collect();
        let _ = writeln!(
            self.text,
            "{result_name}{lengths} {name}({}) {{",
            declared.join(", ")
        );
        let globals = self.scope.clone();
        for (number, (way, ty)) in parameters.iter().enumerate() {
            if *way == "out" {
                let value = self.expression(ty, 1);
                self.line(&format!("a{number} = {value};"));
            }
            self.scope.push(Variable {
                name: format!("a{number}"),
                ty: ty.clone(),
                is_constant: false,
            });
        }
        self.budget = 8;
        let count = 1 + self.random.below(4);
        self.statements(count);
        if self.random.once_in(3) {
            let condition = self.number(Bool, 1, 1);
            let value = self.expression(&result, 1);
            self.line(&format!("if ({condition}) return {value};"));
        }
        let value = self.expression(&result, 2);
        self.line(&format!("return {value};"));
        self.text.push_str("}\n");
        self.scope = globals;
        self.functions.push(Function {
            name,
            result,
            parameters,
        });
    }

    pub(super) fn write(mut self) -> Made {
        self.text.push_str("#version 450\n");
        if self.extras != Extras::default() {
            self.text
                .push_str("#extension GL_EXT_shader_explicit_arithmetic_types : require\n");
        }
        if self.extras.subgroups {
            self.text.push_str(SUBGROUPS);
        }
        self.text.push_str(HEAD);
        let constants = self.constants();
        self.text.push_str(&helpers(self.extras));
        for number in 0..1 + self.random.below(3) {
            let members: Vec<_> = (0..1 + self.random.below(4)).map(|_| self.ty(1)).collect();
            let _ = writeln!(self.text, "struct S{number} {{");
            for (index, member) in members.iter().enumerate() {
                let (name, lengths) = declared(member);
                let _ = writeln!(self.text, "    {name} m{index}{lengths};");
            }
            self.text.push_str("};\n");
            self.structs.push(members);
        }
        // Private variables, and one in shared memory per invocation.
        for _ in 0..self.random.below(3) {
            let ty = self.ty(1);
            let name = self.fresh("g");
            let (named, lengths) = declared(&ty);
            let value = if self.random.once_in(2) {
                format!(" = {}", self.initial(&ty))
            } else {
                String::new()
            };
            let _ = writeln!(self.text, "{named} {name}{lengths}{value};");
            // Variables without an initial value must not be read.
            if !value.is_empty() {
                self.scope.push(Variable {
                    name,
                    ty,
                    is_constant: false,
                });
            }
        }
        for _ in 0..1 + self.random.below(3) {
            self.function();
        }
        self.main();
        Made {
            source: self.text,
            constants,
        }
    }

    /// A constant initial value of any type.
    pub(super) fn initial(&mut self, ty: &Type) -> String {
        let scope = std::mem::take(&mut self.scope);
        let value = self.expression(ty, 0);
        self.scope = scope;
        value
    }

    pub(super) fn constants(&mut self) -> Vec<Constant> {
        let mut constants = Vec::new();
        if !self.extras.constants {
            return constants;
        }
        for id in 0..1 + self.random.below(3) as u32 {
            let scalar = self.random.pick(&[Int, Uint, Bool, Float]);
            let default = self.constant(scalar);
            let _ = writeln!(
                self.text,
                "layout(constant_id = {id}) const {} c{id} = {default};",
                scalar.name()
            );
            self.scope.push(Variable {
                name: format!("c{id}"),
                ty: Type::Vector(scalar, 1),
                is_constant: true,
            });
            if self.random.once_in(2) {
                let number = self.random.below(64);
                constants.push(match scalar {
                    Float => Constant {
                        id,
                        bits: (number as f32 / 4.0).to_bits(),
                        value: number as f64 / 4.0,
                    },
                    Bool => Constant {
                        id,
                        bits: number as u32 & 1,
                        value: (number & 1) as f64,
                    },
                    _ => Constant {
                        id,
                        bits: number as u32,
                        value: number as f64,
                    },
                });
            }
        }
        let integers: Vec<_> = self
            .scope
            .iter()
            .filter(|it| it.ty == Type::Vector(Int, 1))
            .map(|it| it.name.clone())
            .collect();
        if let Some(name) = integers.first() {
            let _ = writeln!(self.text, "const int d0 = ({name} ^ 21) * 3 - {name} / 2;");
            self.scope.push(Variable {
                name: "d0".to_owned(),
                ty: Type::Vector(Int, 1),
                is_constant: true,
            });
        }
        constants
    }

    pub(super) fn main(&mut self) {
        self.text.push_str(MAIN);
        let globals = self.scope.len();
        let given = [
            ("x0", Type::Vector(Int, 1)),
            ("x1", Type::Vector(Uint, 1)),
            ("x2", Type::Vector(Float, 1)),
            ("x3", Type::Vector(Int, 3)),
            ("x4", Type::Vector(Uint, 2)),
            ("x5", Type::Vector(Float, 4)),
            ("x6", Type::Vector(Bool, 2)),
            ("x7", Type::Matrix(3, 2)),
        ];
        for (name, ty) in given {
            self.scope.push(Variable {
                name: name.to_owned(),
                ty,
                is_constant: false,
            });
        }
        let mut more = Vec::new();
        let scalars: &[Scalar] = match self.extras {
            Extras { narrow: true, .. } => &[Int8, Uint8, Int16, Uint16],
            Extras { wide: true, .. } => &[Int64, Uint64],
            Extras { doubles: true, .. } => &[Double],
            _ => &[],
        };
        for scalar in scalars {
            let name = self.fresh("w");
            let width = 1 + self.random.below(3) as u32;
            let from = match scalar {
                Double => "x2",
                _ => "x1",
            };
            self.line(&format!("{} {name} = {0}({from});", named(*scalar, width)));
            let ty = Type::Vector(*scalar, width);
            more.push((name.clone(), ty.clone()));
            self.scope.push(Variable {
                name,
                ty,
                is_constant: false,
            });
        }
        for round in 0..3 {
            self.budget = 12;
            let count = 3 + self.random.below(4);
            self.statements(count);
            match self.random.below(3) {
                0 if round < 2 => {
                    let value = self.number(Uint, 1, 2);
                    self.line(&format!("tile[gl_LocalInvocationIndex] = {value};"));
                    self.line("barrier();");
                    let by = 1 + self.random.below(62);
                    self.line(&format!(
                        "x1 ^= tile[(gl_LocalInvocationIndex + {by}u) & 63u];"
                    ));
                    self.line("barrier();");
                }
                1 => self.atomic(),
                _ => {}
            }
            if self.extras.subgroups {
                self.subgroup();
            }
        }
        if self.random.once_in(2) {
            self.inexact();
        }
        let scope = self.scope[..globals].to_vec();
        let written: Vec<_> = scope.iter().filter(|it| !it.is_constant).collect();
        let mut next = 16;
        let mut put = Vec::new();
        for variable in written {
            self.puts(&variable.ty, &variable.name, &mut put);
        }
        for (name, ty) in &more {
            self.puts(ty, name, &mut put);
        }
        for line in put {
            if next < WORDS {
                self.line(&format!("data[at + {next}] = {line};"));
                next += 1;
            }
        }
        self.text.push_str(END);
    }

    /// Expressions for the words of every scalar of a value.
    pub(super) fn puts(&self, ty: &Type, path: &str, lines: &mut Vec<String>) {
        match ty {
            Type::Vector(scalar, 1) => lines.push(match scalar {
                Float | Double => format!("uint(int({path} * 4.0))"),
                Int64 | Uint64 => format!("uint({path}) ^ (uint({path} >> 32) * 3u)"),
                _ => format!("uint({path})"),
            }),
            Type::Vector(scalar, width) => {
                for index in 0..*width {
                    let part = format!("{path}[{index}]");
                    self.puts(&Type::Vector(*scalar, 1), &part, lines);
                }
            }
            Type::Matrix(columns, rows) => {
                for column in 0..*columns {
                    let part = format!("{path}[{column}]");
                    self.puts(&Type::Vector(Float, *rows), &part, lines);
                }
            }
            Type::Array(element, count) => {
                for index in 0..*count {
                    self.puts(element, &format!("{path}[{index}]"), lines);
                }
            }
            Type::Struct(number) => {
                for (index, member) in self.structs[*number].iter().enumerate() {
                    self.puts(member, &format!("{path}.m{index}"), lines);
                }
            }
        }
    }

    /// Atomics on a cell that belongs to this invocation, so their results are deterministic.
    pub(super) fn atomic(&mut self) {
        let cell = self.random.pick(&[
            "own[gl_LocalInvocationIndex]",
            "cells[gl_LocalInvocationIndex]",
        ]);
        if cell.starts_with("own") {
            self.line("own[gl_LocalInvocationIndex] = x1;");
        }
        for _ in 0..2 {
            let function = self.random.pick(&[
                "atomicAdd",
                "atomicMin",
                "atomicMax",
                "atomicAnd",
                "atomicOr",
                "atomicXor",
                "atomicExchange",
            ]);
            let value = self.number(Uint, 1, 2);
            self.line(&format!("x4.x ^= {function}({cell}, {value});"));
        }
        let value = self.number(Uint, 1, 1);
        self.line(&format!("x4.y += atomicCompSwap({cell}, x1, {value});"));
        self.line(&format!("x1 ^= {cell};"));
        // All invocations use this cell; only its final value is deterministic.
        let (function, cell) =
            self.random
                .pick(&[("atomicAdd", 64), ("atomicXor", 65), ("atomicMax", 66)]);
        let value = self.number(Uint, 1, 2);
        self.line(&format!("{function}(cells[{cell}], {value});"));
    }

    /// A subgroup operation. It is executed by all invocations, so it is at the top level of `main`.
    pub(super) fn subgroup(&mut self) {
        let given = [
            ("x0", Int, 1),
            ("x1", Uint, 1),
            ("x3", Int, 3),
            ("x4", Uint, 2),
        ];
        let (name, scalar, width) = self.random.pick(&given);
        let value = self.number(scalar, width, 2);
        let function = self.random.pick(&[
            "subgroupAdd",
            "subgroupMin",
            "subgroupMax",
            "subgroupAnd",
            "subgroupOr",
            "subgroupXor",
            "subgroupExclusiveAdd",
            "subgroupInclusiveAdd",
            "subgroupBroadcastFirst",
            "subgroupShuffleXor",
            "subgroupBroadcast",
            "subgroupShuffle",
        ]);
        let by = match function {
            "subgroupShuffleXor" | "subgroupBroadcast" | "subgroupShuffle" => {
                format!(", {}u", self.random.below(4))
            }
            _ => String::new(),
        };
        let operand = self.fresh("v");
        self.line(&format!("{} {operand} = {value};", named(scalar, width)));
        self.line(&format!("{name} = {function}({operand}{by});"));
        if self.random.once_in(2) {
            let condition = self.number(Bool, 1, 2);
            let vote = self.random.pick(&["subgroupAll", "subgroupAny"]);
            let operand = self.fresh("v");
            self.line(&format!("bool {operand} = {condition};"));
            self.line(&format!("x6.x = {vote}({operand});"));
            self.line(&format!(
                "x1 += subgroupBallotBitCount(subgroupBallot({operand}));"
            ));
        }
    }

    /// Functions with inexact results.
    pub(super) fn inexact(&mut self) {
        for index in 0..FLOATS {
            let a = self.number(Float, 1, 1);
            let (x, y) = self.two(Float, 3, 1);
            let value = self.random.pick(&[
                "sin({a} * 0.05)",
                "cos({a} * 0.05)",
                "tan({a} * 0.02)",
                "asin({a} / 70.0)",
                "acos({a} / 70.0)",
                "atan({a})",
                "atan({a}, 3.5)",
                "sinh({a} * 0.02)",
                "cosh({a} * 0.02)",
                "tanh({a} * 0.05)",
                "asinh({a})",
                "acosh(abs({a}) + 1.5)",
                "atanh({a} / 70.0)",
                "exp({a} * 0.05)",
                "exp2({a} * 0.05)",
                "log(abs({a}) + 0.5)",
                "log2(abs({a}) + 0.5)",
                "sqrt(abs({a}))",
                "inversesqrt(abs({a}) + 0.5)",
                "pow(abs({a}) * 0.1 + 0.5, 1.5)",
                "length({x})",
                "distance({x}, {y})",
                "normalize({x} + vec3(65.0)).y",
                "reflect({x} * 0.1, vec3(0.6, 0.8, 0.0)).x",
                "refract(normalize({x} + vec3(65.0)), vec3(0.0, -1.0, 0.0), 0.7).y",
                "smoothstep(-20.0, 30.0, {a})",
                "radians({a})",
                "degrees({a})",
                "mix({a}, 3.0, 0.3)",
                "1.0 / ({a} + 64.5)",
                "fma({a}, 0.3, 1.7)",
                "determinant(mat3({x}, {y}, vec3(1.0, 2.0, 4.0)) * 0.1)",
                "inverse(mat2(abs({a}) + 1.0, 0.5, 0.25, 2.0))[1].x",
            ]);
            let value = value
                .replace("{a}", &a)
                .replace("{x}", &x)
                .replace("{y}", &y);
            self.line(&format!("floats[number * {FLOATS} + {index}] = {value};"));
        }
    }
}
