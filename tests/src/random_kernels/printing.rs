//! Prints a tree as WGSL.
//!
//! The printer makes every tree safe: indices are taken modulo the length, sums and products of floats are reduced to
//! their range by functions named `tame_*`, integers are made small before they are converted to floats, and
//! constants go through functions named `opaque_*` where WGSL would reject a constant expression (`x / 0`). Unused
//! declarations are not printed.

mod statements;

use std::collections::BTreeSet;
use std::fmt::Write;

use super::lanes;
use super::tree::{
    Accessor, Argument, Expr, Function, Growth, Kernel, Kind, Passing, Phase, Reference,
};
use super::types::{Scalar, Type};

/// The text of the program.
pub(crate) fn print(kernel: &Kernel) -> String {
    let mut printer = Printer::default();
    let main = printer.entry_point(kernel);
    let mut functions = String::new();
    for (index, function) in kernel.functions.iter().enumerate().rev() {
        if mentions(&main, &format!("f{index}")) || mentions(&functions, &format!("f{index}")) {
            functions = printer.function(index, function) + &functions;
        }
    }
    let code = printer.support(kernel) + &functions + &main;
    let mut enable = String::new();
    for (scalar, name) in [(Scalar::F16, "f16"), (Scalar::I16, "wgpu_int16")] {
        if kernel.scalars.contains(&scalar) {
            let _ = writeln!(enable, "enable {name};");
        }
    }
    enable + &declarations(kernel, &code) + &code
}

/// Whether a name occurs in a text as a whole word.
pub(crate) fn mentions(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word)
    })
}

fn declarations(kernel: &Kernel, code: &str) -> String {
    let globals = kernel
        .globals
        .iter()
        .filter(|global| mentions(code, &global.name));
    let globals: String = globals.map(|global| format!("{}\n", global.text)).collect();
    let mut text = String::new();
    for (binding, buffer) in kernel.buffers.iter().enumerate() {
        if mentions(code, &buffer.name) || mentions(&globals, &buffer.name) {
            let (name, ty) = (&buffer.name, &buffer.declared);
            let space = match buffer.texture {
                Some(_) => String::new(),
                None => format!("<{}>", buffer.space),
            };
            let _ = writeln!(
                text,
                "@group(0) @binding({binding}) var{space} {name}: {ty};"
            );
        }
    }
    text += &globals;
    for (index, members) in kernel.structs.iter().enumerate().rev() {
        let name = format!("S{index}");
        if mentions(code, &name) || mentions(&text, &name) {
            let members = members.iter().enumerate();
            let members: String = members.map(|(i, ty)| format!(" m{i}: {ty},")).collect();
            text = format!("struct {name} {{{members} }}\n{text}");
        }
    }
    text + "\n"
}

#[derive(Default)]
struct Printer {
    out: String,
    depth: usize,
    tamed: BTreeSet<Type>,
    opaque: BTreeSet<Type>,
    lanes: BTreeSet<(&'static str, Type)>,
    /// Without workgroup memory no barriers are needed.
    has_workgroup_memory: bool,
}

impl Printer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", self.depth * 4);
    }

    /// Prints a block in braces.
    fn braces(&mut self, head: &str, body: impl FnOnce(&mut Self)) {
        self.line(&format!("{head}{{"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("}");
    }

    fn entry_point(&mut self, kernel: &Kernel) -> String {
        let globals = kernel.globals.iter();
        self.has_workgroup_memory = globals
            .map(|global| &global.text)
            .any(|text| text.starts_with("var<workgroup>"));
        self.depth = 1;
        self.block(&kernel.locals);
        self.phases(&kernel.phases);
        let body = std::mem::take(&mut self.out);
        self.depth = 0;
        let [x, y, z] = kernel.workgroup_size;
        let [groups_x, groups_y, _] = kernel.workgroups;
        let mut parameters = String::new();
        let mut called = kernel
            .globals
            .iter()
            .filter(|global| mentions(&body, &global.name));
        let needs_slot = !kernel.functions.is_empty()
            || mentions(&body, "slot")
            || called.any(|global| mentions(&global.text, "slot"));
        for (name, builtin, ty) in [
            ("lid", "local_invocation_index", "u32"),
            ("local", "local_invocation_id", "vec3<u32>"),
            ("group", "workgroup_id", "vec3<u32>"),
            ("groups", "num_workgroups", "vec3<u32>"),
            ("global", "global_invocation_id", "vec3<u32>"),
        ] {
            if mentions(&body, name) || (needs_slot && ["lid", "group"].contains(&name)) {
                let _ = write!(parameters, "@builtin({builtin}) {name}: {ty}, ");
            }
        }
        let slot = if needs_slot {
            format!(
                "    slot = ((group.z * {groups_y}u + group.y) * {groups_x}u + group.x) * {}u + lid;\n",
                x * y * z
            )
        } else {
            String::new()
        };
        format!(
            "@compute @workgroup_size({x}, {y}, {z})\nfn main({}) {{\n{slot}{body}}}\n",
            parameters.trim_end_matches(", ")
        )
    }

    fn phases(&mut self, phases: &[Phase]) {
        for phase in phases {
            match phase {
                Phase::Body(body) => {
                    if self.has_workgroup_memory {
                        self.line("workgroupBarrier();");
                        self.line("storageBarrier();");
                    }
                    self.block(body);
                }
                Phase::When(condition, inner) => {
                    let head = format!("if {} ", self.expr(condition));
                    self.braces(&head, |printer| printer.phases(inner));
                }
                Phase::Repeat(counter, count, inner) => {
                    let head =
                        format!("for (var {counter} = 0u; {counter} < {count}u; {counter}++) ");
                    self.braces(&head, |printer| printer.phases(inner));
                }
                Phase::UniformLoad(name, place) => {
                    let place = self.place(place);
                    self.line(&format!("let {name} = workgroupUniformLoad(&{place});"));
                }
            }
        }
    }

    fn function(&mut self, index: usize, function: &Function) -> String {
        let parameters = function.parameters.iter().map(|parameter| {
            let (name, ty) = (&parameter.name, &parameter.ty);
            match parameter.passing {
                Passing::Value => format!("{name}: {ty}"),
                Passing::FunctionPointer => format!("{name}: ptr<function, {ty}>"),
                Passing::PrivatePointer => format!("{name}: ptr<private, {ty}>"),
            }
        });
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let result = function.result.as_ref();
        let result = result.map_or(String::new(), |ty| format!("-> {ty} "));
        let head = format!("fn f{index}({parameters}) {result}");
        self.braces(&head, |printer| printer.block(&function.body));
        std::mem::take(&mut self.out)
    }

    /// The helper functions that keep a program valid and exact.
    fn support(&mut self, kernel: &Kernel) -> String {
        let mut text = String::new();
        for ty in &self.opaque {
            let word = ty.word();
            let _ = writeln!(text, "fn opaque_{word}(x: {ty}) -> {ty} {{ return x; }}");
        }
        let lanes = self.lanes.iter();
        text.extend(lanes.map(|(function, ty)| lanes::text(function, ty)));
        for ty in &self.tamed {
            let limit = ty.scalar().map_or(1, Scalar::limit);
            let tame = |x: &str| format!("{x} - trunc({x} * (1.0 / {limit}.0)) * {limit}.0");
            let value = match ty {
                Type::Matrix(_, columns, _) => {
                    let columns = (0..*columns).map(|i| tame(&format!("x[{i}]")));
                    format!("{ty}({})", columns.collect::<Vec<_>>().join(", "))
                }
                _ => tame("x"),
            };
            let word = ty.word();
            let _ = writeln!(
                text,
                "fn tame_{word}(x: {ty}) -> {ty} {{ return {value}; }}"
            );
        }
        if !kernel.functions.is_empty() || !text.is_empty() {
            text += "\n";
        }
        text
    }

    fn place(&mut self, place: &Reference) -> String {
        let mut text = place.root.clone();
        for access in &place.path {
            text += &self.access(access);
        }
        text
    }

    fn access(&mut self, access: &Accessor) -> String {
        match access {
            Accessor::Member(index) => format!(".m{index}"),
            Accessor::Component(index) => format!(".{}", ["x", "y", "z", "w"][*index as usize]),
            Accessor::Index(length, index) => match (&index.kind, index.ty.scalar()) {
                (Kind::Literal(value), _) => {
                    format!("[{}u]", value.rem_euclid(i64::from(*length)))
                }
                (_, Some(Scalar::U32)) => {
                    let index = self.runtime(index);
                    in_range(&index, *length)
                }
                _ => {
                    let index = self.runtime(index);
                    in_range(&format!("u32({index})"), *length)
                }
            },
        }
    }

    fn call(&mut self, index: usize, arguments: &[Argument]) -> String {
        let arguments = arguments.iter().map(|argument| match argument {
            Argument::Value(value) => self.expr(value),
            Argument::Pointer(place) => format!("&{}", self.place(place)),
        });
        let arguments: Vec<_> = arguments.collect();
        format!("f{index}({})", arguments.join(", "))
    }

    /// An expression that is not a constant expression.
    fn runtime(&mut self, value: &Expr) -> String {
        if value.is_constant() {
            self.opaque(value)
        } else {
            self.expr(value)
        }
    }

    /// A divisor or shift amount: no part of it may be a constant that WGSL rejects.
    fn divisor(&mut self, value: &Expr) -> String {
        match value.kind {
            Kind::Construct(_) => self.opaque(value),
            _ => self.runtime(value),
        }
    }

    fn opaque(&mut self, value: &Expr) -> String {
        let text = self.expr(value);
        self.opaque.insert(value.ty.clone());
        format!("opaque_{}({text})", value.ty.word())
    }

    fn expr(&mut self, value: &Expr) -> String {
        let ty = &value.ty;
        match &value.kind {
            Kind::Literal(number) => literal(ty.scalar().unwrap_or(Scalar::I32), *number),
            Kind::Zero => format!("{ty}()"),
            Kind::Name(name, _) => name.clone(),
            Kind::Load(place) => self.place(place),
            Kind::Access(value, access) => self.expr(value) + &self.access(access),
            Kind::Swizzle(value, components) => {
                let letters = components.iter().map(|i| ["x", "y", "z", "w"][*i as usize]);
                // naga 30 rejects swizzles of constant vectors made of vectors.
                format!("{}.{}", self.runtime(value), letters.collect::<String>())
            }
            Kind::Unary(operator, value) => format!("({operator}{})", self.runtime(value)),
            Kind::Binary(operator, left, right) => self.binary(ty, operator, left, right),
            Kind::Builtin(template, growth, arguments) => {
                self.builtin(ty, template, *growth, arguments)
            }
            Kind::Construct(parts) => {
                // naga 30 writes invalid SPIR-V for constant vectors made of vectors.
                let vectors = matches!(ty, Type::Vector(..)) && value.is_constant();
                let parts = parts.iter().map(|part| match (vectors, &part.ty) {
                    (true, Type::Vector(..)) => self.runtime(part),
                    _ => self.expr(part),
                });
                format!("{ty}({})", parts.collect::<Vec<_>>().join(", "))
            }
            Kind::Convert(value) => self.convert(ty, value),
            Kind::Bitcast(value) => format!("bitcast<{ty}>({})", self.runtime(value)),
            Kind::Lanes(function, value) => {
                self.lanes.insert((function, ty.clone()));
                format!("{function}_{}({})", ty.word(), self.runtime(value))
            }
            Kind::Call(index, arguments) => self.call(*index, arguments),
            Kind::Named(name, arguments) => {
                let arguments = arguments.iter().map(|argument| self.expr(argument));
                format!("{name}({})", arguments.collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn binary(&mut self, ty: &Type, operator: &str, left: &Expr, right: &Expr) -> String {
        let refuses_constants = ["/", "%", "<<", ">>"].contains(&operator);
        let left_text = if is_transposed(left) && is_transposed(right) {
            // lavapipe 22.3 cannot compile the product of two transposed matrices.
            self.opaque(left)
        } else if right.is_constant() && !refuses_constants {
            self.runtime(left)
        } else {
            self.expr(left)
        };
        let right_text = if refuses_constants {
            self.divisor(right)
        } else {
            self.expr(right)
        };
        let text = format!("({left_text} {operator} {right_text})");
        match operator {
            "+" | "-" | "*" => self.tame(ty, text),
            _ => text,
        }
    }

    fn builtin(&mut self, ty: &Type, template: &str, growth: Growth, arguments: &[Expr]) -> String {
        let all_constant = arguments.iter().all(Expr::is_constant);
        // These reject some combinations of constants.
        let picky = ["extractBits", "insertBits", "clamp"];
        let is_picky = picky.iter().any(|name| template.starts_with(name));
        let mut text = template.to_owned();
        for (index, argument) in arguments.iter().enumerate() {
            let argument = if is_picky || (all_constant && index == 0) {
                self.runtime(argument)
            } else {
                self.expr(argument)
            };
            // Arguments contain no dollar sign before all are substituted.
            text = text.replacen(&format!("${index}"), &argument, 1);
        }
        match growth {
            Growth::Grows => self.tame(ty, text),
            Growth::Stays => text,
        }
    }

    fn convert(&mut self, ty: &Type, value: &Expr) -> String {
        let text = self.runtime(value);
        let (from, to) = (value.ty.scalar(), ty.scalar());
        match (from, to) {
            (Some(from), Some(to)) if from.is_integer() && to.is_float() => {
                let small = literal(from, to.limit());
                format!("{ty}({text} % {}({small}))", value.ty)
            }
            // naga 30 extends by the sign of the result type.
            (Some(from), Some(to)) if from.is_integer() && to.is_integer() => {
                let own = Type::wide(from.resized(to), ty.width().unwrap_or(1));
                if from.size() >= to.size() || own == *ty {
                    format!("{ty}({text})")
                } else {
                    format!("{ty}({own}({text}))")
                }
            }
            // The float type of the source may have a larger limit.
            (Some(from), Some(to)) if from.is_float() && to.is_float() => {
                self.tame(ty, format!("{ty}({text})"))
            }
            _ => format!("{ty}({text})"),
        }
    }

    /// Reduces floats to their range; other types are unchanged.
    fn tame(&mut self, ty: &Type, text: String) -> String {
        if !ty.scalar().is_some_and(Scalar::is_float) {
            return text;
        }
        self.tamed.insert(ty.clone());
        format!("tame_{}({text})", ty.word())
    }
}

pub(crate) fn literal(scalar: Scalar, value: i64) -> String {
    match scalar {
        Scalar::Bool => (value != 0).to_string(),
        // The smallest integer has no literal: the sign is an operator.
        Scalar::I32 if value == i64::from(i32::MIN) => "i32(-2147483648)".to_owned(),
        Scalar::I32 if value < 0 => format!("({value}i)"),
        Scalar::I32 => format!("{value}i"),
        Scalar::U32 => format!("{value}u"),
        Scalar::I16 | Scalar::U16 => format!("{}({value})", scalar.name()),
        Scalar::U64 => format!("{}lu", value as u64),
        Scalar::I64 if value == i64::MIN => "(-9223372036854775807li - 1li)".to_owned(),
        Scalar::I64 if value < 0 => format!("({value}li)"),
        Scalar::I64 => format!("{value}li"),
        Scalar::F32 if value < 0 => format!("({value}.0f)"),
        Scalar::F32 => format!("{value}.0f"),
        Scalar::F16 if value < 0 => format!("({value}.0h)"),
        Scalar::F16 => format!("{value}.0h"),
        Scalar::F64 if value < 0 => format!("({value}.0lf)"),
        Scalar::F64 => format!("{value}.0lf"),
    }
}

fn is_transposed(value: &Expr) -> bool {
    matches!(value.kind, Kind::Builtin("transpose($0)", ..))
}

/// An index that is limited to a number of elements, in one of the ways of shaders. Which one depends on the text, so
/// that a kernel is always printed the same.
fn in_range(index: &str, length: u32) -> String {
    let last = length - 1;
    match index.len() % 4 {
        0 => format!("[min({index}, {last}u)]"),
        1 => format!("[u32(clamp(bitcast<i32>({index}), 0i, {last}i))]"),
        2 if length.is_power_of_two() => format!("[({index}) & {last}u]"),
        _ => format!("[({index}) % {length}u]"),
    }
}
