//! The text form of a function, for tests and `--ir`. `parse` reads it back; only the places of
//! trap sites are lost.

use std::fmt;

use super::{
    Access, Argument, Block, Cfg, Edge, Function, ObjectData, ObjectKind, Op, Terminator, Type,
    Value, Width,
};
use crate::module::{HostFunction, imports};

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b{}", self.0)
    }
}

impl Type {
    /// Its name in the text form.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Bool => "bool",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.ty.name())?;
        let sign = |signed: bool| if signed { "s" } else { "u" };
        match self.width {
            Width::Full => {}
            Width::Bits8 { signed } => write!(f, ".8{}", sign(signed))?,
            Width::Bits16 { signed } => write!(f, ".16{}", sign(signed))?,
            Width::Bits32 { signed } => write!(f, ".32{}", sign(signed))?,
        }
        if self.offset != 0 {
            write!(f, "+{}", self.offset)?;
        }
        // The natural alignment is not written.
        if 1 << self.align != self.bytes() {
            write!(f, "@{}", self.align)?;
        }
        Ok(())
    }
}

/// The name of the import, or of the function if no import has it.
struct HostName(HostFunction);

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match imports().find(|import| import.function == self.0) {
            Some(import) => f.write_str(import.name),
            None => write!(f, "{:?}", self.0),
        }
    }
}

impl fmt::Display for ObjectData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ", self.element)?;
        match &self.kind {
            ObjectKind::Binding { group, binding } => write!(f, "Binding({group}, {binding})")?,
            ObjectKind::Data(words) => write!(f, "Data{words:?}")?,
            ObjectKind::Private(words) => write!(f, "Private{words:?}")?,
            kind => write!(f, "{kind:?}")?,
        }
        if let Some(words) = self.words {
            write!(f, " words={words}")?;
        }
        if self.written {
            write!(f, " written")?;
        }
        write!(f, " {:?}", self.name)
    }
}

/// Prints the reachable blocks in reverse postorder.
impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.header(f)?;
        for block in Cfg::new(self).order {
            let data = self.block(block);
            write!(f, "{block}")?;
            if !data.params.is_empty() {
                let params = data.params.iter().map(|&param| (param, self.ty(param)));
                let texts: Vec<_> = params
                    .map(|(param, ty)| format!("{param}: {}", ty.name()))
                    .collect();
                write!(f, "({})", texts.join(", "))?;
            }
            writeln!(f, ":")?;
            for &inst in &data.insts {
                self.instruction(f, inst)?;
            }
            self.terminator(f, &data.terminator)?;
        }
        Ok(())
    }
}

/// A list of operands.
struct List<'a>(&'a Function, &'a [Value]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, &value) in self.1.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{}", self.0.operand(value))?;
        }
        Ok(())
    }
}

impl Function {
    fn header(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}", self.name)?;
        if !self.arguments.is_empty() {
            let arguments: Vec<_> = (self.arguments.iter())
                .map(|argument| match argument {
                    Argument::Number(ty) => ty.name().to_owned(),
                    Argument::SliceAddress(index) => format!("slice{index}"),
                    Argument::SliceLength(index) => format!("len{index}"),
                })
                .collect();
            write!(f, "({})", arguments.join(", "))?;
        }
        if !self.results.is_empty() {
            let results: Vec<_> = self.results.iter().map(|ty| ty.name()).collect();
            write!(f, " -> {}", results.join(", "))?;
        }
        writeln!(f)?;
        for (at, object) in self.objects.iter().enumerate() {
            writeln!(f, "o{at} = {object}")?;
        }
        if !self.slices.is_empty() {
            let slices: Vec<_> = (self.slices.iter())
                .map(|object| format!("o{}", object.0))
                .collect();
            writeln!(f, "slices {}", slices.join(", "))?;
        }
        Ok(())
    }

    /// The text of an operand: floating values are written where they are used.
    fn operand(&self, value: Value) -> String {
        match self.op(value) {
            Op::Const(bits) => match self.ty(value) {
                // The payload of a NaN must not be lost.
                Type::F32 if f32::from_bits(*bits as u32).is_nan() => format!("f32#{bits:x}"),
                Type::F64 if f64::from_bits(*bits).is_nan() => format!("f64#{bits:x}"),
                Type::F32 => format!("{:?}f", f32::from_bits(*bits as u32)),
                Type::F64 => format!("{:?}lf", f64::from_bits(*bits)),
                Type::I32 => format!("{}", *bits as u32 as i32),
                Type::I64 => format!("{}l", bits.cast_signed()),
                Type::Bool => format!("{}", *bits != 0),
                Type::Unit => "unit".to_owned(),
            },
            Op::Argument(index) => format!("arg{index}"),
            Op::SliceAddress(index) => format!("slice{index}"),
            Op::SliceLength(index) => format!("len{index}"),
            Op::StackPointer => "sp".to_owned(),
            Op::Builtin(builtin) => format!("{builtin:?}"),
            Op::ObjectLength(object) => format!("words(o{})", object.0),
            _ => value.to_string(),
        }
    }

    fn instruction(&self, f: &mut fmt::Formatter<'_>, inst: Value) -> fmt::Result {
        let ty = self.ty(inst);
        if ty == Type::Unit {
            write!(f, "  ")?;
        } else {
            write!(f, "  {inst}: {} = ", ty.name())?;
        }
        let text = |value: &Value| self.operand(*value);
        match self.op(inst) {
            Op::Unary(unary, operand) => writeln!(f, "{unary:?} {}", text(operand)),
            Op::Binary(binary, left, right) => {
                writeln!(f, "{binary:?} {}, {}", text(left), text(right))
            }
            Op::Select { condition, yes, no } => {
                writeln!(f, "Select {}, {}, {}", text(condition), text(yes), text(no))
            }
            Op::Load { access, address } => writeln!(f, "Load {access} {}", text(address)),
            Op::Store {
                access,
                address,
                value,
            } => writeln!(f, "Store {access} {}, {}", text(address), text(value)),
            Op::Host { function, args, .. } => {
                writeln!(f, "Host {} {}", HostName(*function), List(self, args))
            }
            Op::TrapIf {
                condition,
                trap,
                words,
            } => {
                let code = self.traps[trap.0 as usize].code;
                writeln!(
                    f,
                    "TrapIf {}, {code:?} {}",
                    text(condition),
                    List(self, words)
                )
            }
            Op::ObjectLoad { object, index } => {
                writeln!(f, "ObjectLoad o{}[{}]", object.0, text(index))
            }
            Op::ObjectStore {
                object,
                index,
                value,
            } => writeln!(
                f,
                "ObjectStore o{}[{}], {}",
                object.0,
                text(index),
                text(value)
            ),
            Op::ObjectAtomic {
                object,
                function,
                index,
                value,
            } => writeln!(
                f,
                "ObjectAtomic {function:?} o{}[{}], {}",
                object.0,
                text(index),
                text(value)
            ),
            Op::MemoryInit {
                segment,
                to,
                from,
                bytes,
                ..
            } => {
                let operands = [*to, *from, *bytes];
                writeln!(f, "MemoryInit {segment} {}", List(self, &operands))
            }
            Op::DataDrop(segment) => writeln!(f, "DataDrop {segment}"),
            Op::ObjectCompareExchange {
                object,
                index,
                expected,
                value,
            } => {
                let operands = [*expected, *value];
                let (index, operands) = (text(index), List(self, &operands));
                writeln!(
                    f,
                    "ObjectCompareExchange o{}[{index}], {operands}",
                    object.0
                )
            }
            op => {
                let mut operands = Vec::new();
                op.for_each_operand(|operand| operands.push(operand));
                let name = format!("{op:?}");
                let name = name.split([' ', '(', '{']).next().unwrap_or_default();
                writeln!(f, "{name} {}", List(self, &operands))
            }
        }
    }

    fn edge(&self, edge: &Edge) -> String {
        if edge.args.is_empty() {
            edge.block.to_string()
        } else {
            format!("{}({})", edge.block, List(self, &edge.args))
        }
    }

    fn terminator(&self, f: &mut fmt::Formatter<'_>, terminator: &Terminator) -> fmt::Result {
        match terminator {
            Terminator::Jump(edge) => writeln!(f, "  jump {}", self.edge(edge)),
            Terminator::Branch { condition, yes, no } => writeln!(
                f,
                "  branch {}, {}, {}",
                self.operand(*condition),
                self.edge(yes),
                self.edge(no)
            ),
            Terminator::Switch {
                index,
                targets,
                default,
            } => {
                let targets: Vec<_> = targets.iter().map(|edge| self.edge(edge)).collect();
                let default = self.edge(default);
                writeln!(
                    f,
                    "  switch {}, [{}], {default}",
                    self.operand(*index),
                    targets.join(", ")
                )
            }
            Terminator::Return(values) => writeln!(f, "  return {}", List(self, values)),
            Terminator::Trap { trap, words } => {
                let code = self.traps[trap.0 as usize].code;
                writeln!(f, "  trap {code:?} {}", List(self, words))
            }
            Terminator::Unreachable => writeln!(f, "  unreachable"),
        }
    }
}
