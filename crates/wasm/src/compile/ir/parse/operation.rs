//! Reads operations.

use super::names::{ATOMIC_OPS, all_unaries};
use super::{Parsed, Parser, brackets, named, number, split, ty};
use crate::TrapCode;
use crate::compile::ir::{Access, Binary, Object, Op, Width};
use crate::module::import;

impl Parser {
    pub(super) fn op(&mut self, text: &str) -> Parsed<Op> {
        let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
        if let Some(unary) = named(&all_unaries(), name) {
            let [operand] = self.exactly(rest)?;
            return Ok(Op::Unary(unary, operand));
        }
        if let Some(binary) = named(Binary::ALL, name) {
            let [left, right] = self.exactly(rest)?;
            return Ok(Op::Binary(binary, left, right));
        }
        match name {
            "Select" => {
                let [condition, yes, no] = self.exactly(rest)?;
                Ok(Op::Select { condition, yes, no })
            }
            "Load" => {
                let (access, operand) = rest.split_once(' ').ok_or("no address")?;
                Ok(Op::Load {
                    access: self.access(access)?,
                    address: self.operand(operand)?,
                })
            }
            "Store" => {
                let (access, operands) = rest.split_once(' ').ok_or("no address")?;
                let [address, value] = self.exactly(operands)?;
                Ok(Op::Store {
                    access: self.access(access)?,
                    address,
                    value,
                })
            }
            "TrapIf" => {
                let (condition, trap) = rest.split_once(", ").ok_or("no trap")?;
                let (trap, words) = self.trap_and_words(trap)?;
                Ok(Op::TrapIf {
                    condition: self.operand(condition)?,
                    trap,
                    words,
                })
            }
            "Host" => self.host(rest),
            name if name.starts_with("Object") => self.object_op(name, rest),
            name => self.memory_op(name, rest),
        }
    }

    fn host(&mut self, text: &str) -> Parsed<Op> {
        let (name, args) = text.split_once(' ').unwrap_or((text, ""));
        let args = self.operands(args)?;
        let import = import(name, args.len()).ok_or("no such import")?;
        Ok(Op::Host {
            function: import.function,
            args,
            trap: self.trap(TrapCode::Panic),
        })
    }

    fn object_op(&mut self, name: &str, text: &str) -> Parsed<Op> {
        let (function, text) = match name {
            "ObjectAtomic" => text.split_once(' ').ok_or("no operation")?,
            _ => ("Add", text),
        };
        let parts = split(text);
        let first = parts.first().ok_or("no object")?;
        let (object, index) = brackets(first, ['[', ']']).ok_or("no index")?;
        let object = Object(number(object, 'o')?);
        let index = self.operand(index)?;
        let rest = parts[1..].join(",");
        Ok(match name {
            "ObjectLoad" => Op::ObjectLoad { object, index },
            "ObjectStore" => Op::ObjectStore {
                object,
                index,
                value: self.operand(&rest)?,
            },
            "ObjectAtomic" => Op::ObjectAtomic {
                object,
                function: named(ATOMIC_OPS, function).ok_or("no atomic operation")?,
                index,
                value: self.operand(&rest)?,
            },
            "ObjectCompareExchange" => {
                let [expected, value] = self.exactly(&rest)?;
                Op::ObjectCompareExchange {
                    object,
                    index,
                    expected,
                    value,
                }
            }
            _ => return Err("no such operation".to_owned()),
        })
    }

    fn memory_op(&mut self, name: &str, rest: &str) -> Parsed<Op> {
        let trap = self.trap(TrapCode::OutOfBoundsMemory);
        Ok(match name {
            "MemorySize" => Op::MemorySize,
            "MemoryGrow" => Op::MemoryGrow(self.operand(rest)?),
            "MemoryCopy" => {
                let [to, from, bytes] = self.exactly(rest)?;
                Op::MemoryCopy {
                    to,
                    from,
                    bytes,
                    trap,
                }
            }
            "MemoryFill" => {
                let [to, value, bytes] = self.exactly(rest)?;
                Op::MemoryFill {
                    to,
                    value,
                    bytes,
                    trap,
                }
            }
            "MemoryInit" => {
                let (segment, operands) = rest.split_once(' ').ok_or("no operands")?;
                let [to, from, bytes] = self.exactly(operands)?;
                Op::MemoryInit {
                    segment: segment.parse().map_err(|_| "no segment")?,
                    to,
                    from,
                    bytes,
                    trap,
                }
            }
            "DataDrop" => Op::DataDrop(rest.parse().map_err(|_| "no segment")?),
            _ => return Err("no such operation".to_owned()),
        })
    }

    fn access(&mut self, text: &str) -> Parsed<Access> {
        let (text, align) = match text.split_once('@') {
            Some((text, align)) => (text, Some(align)),
            None => (text, None),
        };
        let (text, offset) = text.split_once('+').unwrap_or((text, "0"));
        let (name, width) = text.split_once('.').unwrap_or((text, ""));
        let signed = width.ends_with('s');
        let width = match width.trim_end_matches(['s', 'u']) {
            "" => Width::Full,
            "8" => Width::Bits8 { signed },
            "16" => Width::Bits16 { signed },
            "32" => Width::Bits32 { signed },
            _ => return Err("no such width".to_owned()),
        };
        let mut access = Access {
            ty: ty(name)?,
            width,
            offset: offset.parse().map_err(|_| "no offset")?,
            align: 0,
            trap: self.trap(TrapCode::OutOfBoundsMemory),
        };
        access.align = match align {
            Some(align) => align.parse().map_err(|_| "no alignment")?,
            None => access.bytes().trailing_zeros() as u8,
        };
        Ok(access)
    }
}
