//! The text form of a function, for tests and `--ir`.

use std::fmt;

use super::{Access, Block, Cfg, Edge, Function, Op, Terminator, Type, Value, Width};

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
        if self.offset == 0 {
            Ok(())
        } else {
            write!(f, "+{}", self.offset)
        }
    }
}

/// Prints the reachable blocks in reverse postorder.
impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel {}", self.name)?;
        for (at, object) in self.objects.iter().enumerate() {
            write!(f, "o{at} = {} {:?}", object.name, object.element)?;
            match object.words {
                Some(words) => writeln!(f, " {words} words")?,
                None => writeln!(f)?,
            }
        }
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
    /// The text of an operand: floating values are written where they are used.
    fn operand(&self, value: Value) -> String {
        match self.op(value) {
            Op::Const(bits) => match self.ty(value) {
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
                writeln!(f, "Host {function:?} {}", List(self, args))
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
