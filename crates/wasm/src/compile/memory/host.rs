//! Host calls that access buffers, workgroup memory, state, input, the picture, and words of
//! linear memory atomically.
//!
//! In: calls with the operands of the imports. Out: accesses of objects. Bindings and atomic
//! operations must be constants. An unknown atomic operation reads.

use std::collections::HashMap;

use super::super::CompileError;
use super::super::ir::{Binary, Builtin, Cfg, Object, ObjectKind, Op, Trap, Type, Value};
use super::Lowering;
use super::objects::Objects;
use super::plan::{Target, is_shared};
use super::survey::Operand;
use super::words::Shift;
use super::workgroup::Workgroup;
use crate::TrapCode;
use crate::module::{AtomicOp, Host, HostFunction};

/// The atomic operation with a number.
fn atomic_op(number: u32) -> Option<AtomicOp> {
    use AtomicOp::{Add, And, Exchange, MaxS, MaxU, MinS, MinU, Or, Sub, Xor};
    let all = [Add, Sub, MinS, MinU, MaxS, MaxU, And, Or, Xor, Exchange];
    all.get(number as usize).copied()
}

/// The objects of host calls.
#[derive(Debug, Default)]
pub(super) struct HostObjects(HashMap<Value, Object>);

impl HostObjects {
    /// Finds the objects, and counts the accesses.
    pub(super) fn new(
        objects: &mut Objects<'_>,
        cfg: &Cfg,
        workgroup: &Workgroup,
    ) -> Result<Self, CompileError> {
        let mut found = Self::default();
        for &block in &cfg.order {
            for inst in objects.function.block(block).insts.clone() {
                if let Op::Host {
                    function,
                    args,
                    trap,
                } = objects.function.op(inst).clone()
                {
                    let call = Call {
                        inst,
                        args: &args,
                        trap,
                        workgroup: workgroup.object(inst),
                    };
                    if let Some(object) = call.survey(objects, function)? {
                        found.0.insert(inst, object);
                    }
                }
            }
        }
        Ok(found)
    }
}

struct Call<'a> {
    inst: Value,
    args: &'a [Value],
    trap: Trap,
    /// The object, if it accesses workgroup memory.
    workgroup: Option<Object>,
}

impl Call<'_> {
    fn survey(
        &self,
        objects: &mut Objects<'_>,
        function: HostFunction,
    ) -> Result<Option<Object>, CompileError> {
        let object = match function {
            HostFunction::SetPixel => {
                let object = objects.get(ObjectKind::Pixels, "pixels", None);
                self.args
                    .iter()
                    .skip(2)
                    .for_each(|&part| objects.vote_store(object, part));
                object
            }
            HostFunction::ReadInput => {
                let object = objects.get(ObjectKind::Input, "input", None);
                objects.vote_load(object, self.inst);
                object
            }
            HostFunction::AtomicAdd => {
                let object = objects.get(ObjectKind::State, "state", None);
                objects.vote_atomic(object);
                object
            }
            HostFunction::Numbered(host) => return self.survey_numbered(objects, host),
            HostFunction::ThreadId | HostFunction::Time => return Ok(None),
        };
        Ok(Some(object))
    }

    fn survey_numbered(
        &self,
        objects: &mut Objects<'_>,
        host: Host,
    ) -> Result<Option<Object>, CompileError> {
        let object = match host {
            Host::ReadState | Host::WriteState => objects.get(ObjectKind::State, "state", None),
            Host::WorkgroupLoad
            | Host::WorkgroupStore
            | Host::WorkgroupAtomic
            | Host::WorkgroupCompareExchange => match self.workgroup {
                Some(object) => object,
                None => return Ok(None),
            },
            Host::BufferLen
            | Host::BufferLoad
            | Host::BufferStore
            | Host::BufferCompareExchange => self.binding(objects, 0)?,
            Host::BufferAtomic => self.binding(objects, 1)?,
            _ => return Ok(None),
        };
        match (host, self.args) {
            (Host::ReadState | Host::WorkgroupLoad | Host::BufferLoad, _) => {
                objects.vote_load(object, self.inst);
            }
            (Host::WriteState | Host::WorkgroupStore | Host::BufferStore, [.., value]) => {
                objects.vote_store(object, *value);
            }
            (Host::BufferLen, _) => {}
            _ => objects.vote_atomic(object),
        }
        Ok(Some(object))
    }

    fn binding(&self, objects: &mut Objects<'_>, at: usize) -> Result<Object, CompileError> {
        let key = self
            .args
            .get(at)
            .and_then(|&key| objects.function.as_word(key));
        key.map(|key| objects.binding(key)).ok_or_else(|| {
            let site = &objects.function.traps[self.trap.0 as usize];
            CompileError::Unsupported {
                feature: "a buffer whose binding is not constant".to_owned(),
                function: site.function.clone(),
                offset: site.offset,
            }
        })
    }
}

impl Lowering<'_> {
    /// Lowers a host call; `None` if it stays. A call without a result has none.
    pub(super) fn host(
        &mut self,
        inst: Value,
        function: HostFunction,
        args: &[Value],
        trap: Trap,
    ) -> Result<Option<Option<Value>>, CompileError> {
        let result = match (function, args) {
            (HostFunction::SetPixel, [x, y, colour @ ..]) => {
                self.set_pixel(inst, [*x, *y], colour);
                None
            }
            (HostFunction::ReadInput, &[index]) => Some(self.read(inst, index)),
            (HostFunction::AtomicAdd, &[index, value]) => {
                let object = self.object(inst);
                Some(self.rmw(object, AtomicOp::Add, index, value))
            }
            (HostFunction::Numbered(host), args) => return self.numbered(inst, host, args, trap),
            _ => return Ok(None),
        };
        Ok(Some(result))
    }

    fn numbered(
        &mut self,
        inst: Value,
        host: Host,
        args: &[Value],
        trap: Trap,
    ) -> Result<Option<Option<Value>>, CompileError> {
        let object = self.object(inst);
        let result = match (host, args) {
            (Host::BufferLen, _) => Some(self.editor.push(Op::ObjectLength(object), Type::I32)),
            (Host::BufferLoad, &[_, index]) | (Host::ReadState, &[index]) => {
                Some(self.read(inst, index))
            }
            (Host::BufferStore, &[_, index, value]) | (Host::WriteState, &[index, value]) => {
                self.editor.store(object, index, value);
                None
            }
            (Host::BufferAtomic, &[op, _, index, value]) => {
                Some(self.atomic(object, op, index, value, trap)?)
            }
            (Host::BufferCompareExchange, &[_, index, expected, value]) => {
                Some(self.exchange(object, index, expected, value))
            }
            (Host::WorkgroupLoad, &[address]) => {
                let index = self.workgroup_index(inst, address, trap);
                Some(self.read(inst, index))
            }
            (Host::WorkgroupStore, &[address, value]) => {
                let index = self.workgroup_index(inst, address, trap);
                self.editor.store(self.object(inst), index, value);
                None
            }
            (Host::WorkgroupAtomic, &[op, address, value]) => {
                let index = self.workgroup_index(inst, address, trap);
                Some(self.atomic(object, op, index, value, trap)?)
            }
            (Host::WorkgroupCompareExchange, &[address, expected, value]) => {
                let index = self.workgroup_index(inst, address, trap);
                Some(self.exchange(object, index, expected, value))
            }
            (Host::MemoryAtomic, &[op, address, value]) => {
                let (object, index) = self.memory_word(inst, address, trap);
                Some(self.atomic(object, op, index, value, trap)?)
            }
            (Host::MemoryCompareExchange, &[address, expected, value]) => {
                let (object, index) = self.memory_word(inst, address, trap);
                Some(self.exchange(object, index, expected, value))
            }
            _ => return Ok(None),
        };
        Ok(Some(result))
    }

    /// The object of a call.
    pub(super) fn object(&self, inst: Value) -> Object {
        self.hosts.0.get(&inst).copied().unwrap_or(Object(0))
    }

    fn read(&mut self, inst: Value, index: Value) -> Value {
        let word = self.editor.load(self.object(inst), index);
        self.editor.reinterpret(word, Type::I32)
    }

    /// Writes a pixel inside the picture.
    fn set_pixel(&mut self, inst: Value, [x, y]: [Value; 2], colour: &[Value]) {
        let object = self.object(inst);
        let editor = &mut self.editor;
        let [width, height] = [Builtin::PictureWidth, Builtin::PictureHeight]
            .map(|size| editor.push(Op::Builtin(size), Type::I32));
        let in_row = editor.binary(Binary::LtUnsigned, x, width);
        let in_column = editor.binary(Binary::LtUnsigned, y, height);
        let is_inside = editor.binary(Binary::And, in_row, in_column);
        editor.when(is_inside, |editor| {
            let row = editor.binary(Binary::Mul, y, width);
            let pixel = editor.binary(Binary::Add, row, x);
            let first = editor.binary_word(Binary::Shl, pixel, 2);
            for (at, &part) in (0..).zip(colour) {
                let index = editor.binary_word(Binary::Add, first, at);
                editor.store(object, index, part);
            }
        });
    }

    /// The object and the index of a word for an atomic operation in linear memory, which traps
    /// unless it is aligned and inside.
    fn memory_word(&mut self, inst: Value, address: Value, trap: Trap) -> (Object, Value) {
        let form = self.numeric(address);
        if self.alignment.of_sum(&form) < 2 {
            let low = self.editor.binary_word(Binary::And, address, 3);
            let none = self.editor.word(0);
            let is_odd = self.editor.binary(Binary::Ne, low, none);
            let trap = self
                .editor
                .trap_with_code(trap, TrapCode::OutOfBoundsMemory);
            self.editor.trap_if(is_odd, trap);
        }
        let (object, base) = match self.plan.target(inst, Operand::To) {
            Target::Object { object, base } => (object, base),
            Target::Linear => {
                let trap = self
                    .editor
                    .trap_with_code(trap, TrapCode::OutOfBoundsMemory);
                self.check(address, 0, 4, trap);
                (self.plan.linear.unwrap_or(Object(0)), 0)
            }
        };
        let place = self.place_in(object, address, base.wrapping_neg(), 4, 2);
        debug_assert!(matches!(place.shift, Shift::Aligned));
        (object, place.index)
    }

    fn atomic(
        &mut self,
        object: Object,
        op: Value,
        index: Value,
        value: Value,
        trap: Trap,
    ) -> Result<Value, CompileError> {
        let Some(number) = self.editor.function.as_word(op) else {
            let site = &self.editor.function.traps[trap.0 as usize];
            return Err(CompileError::Unsupported {
                feature: "an atomic operation whose number is not constant".to_owned(),
                function: site.function.clone(),
                offset: site.offset,
            });
        };
        Ok(match atomic_op(number) {
            Some(function) => self.rmw(object, function, index, value),
            None => {
                let word = self.editor.load(object, index);
                self.editor.reinterpret(word, Type::I32)
            }
        })
    }

    /// A read-modify-write operation, atomic where other invocations see the object.
    fn rmw(&mut self, object: Object, function: AtomicOp, index: Value, value: Value) -> Value {
        let is_state = self.editor.function.object(object).kind == ObjectKind::State;
        let editor = &mut self.editor;
        if is_state || is_shared(editor.function, object) {
            editor.function.objects[object.0 as usize].written = true;
            let op = Op::ObjectAtomic {
                object,
                function,
                index,
                value,
            };
            return editor.push(op, Type::I32);
        }
        let old = editor.load(object, index);
        let old = editor.reinterpret(old, Type::I32);
        let pick = |editor: &mut super::editor::Editor<'_>, less, first, second| {
            let is_less = editor.binary(less, first, second);
            editor.select(is_less, old, value)
        };
        let new = match function {
            AtomicOp::Add => editor.binary(Binary::Add, old, value),
            AtomicOp::Sub => editor.binary(Binary::Sub, old, value),
            AtomicOp::And => editor.binary(Binary::And, old, value),
            AtomicOp::Or => editor.binary(Binary::Or, old, value),
            AtomicOp::Xor => editor.binary(Binary::Xor, old, value),
            AtomicOp::Exchange => value,
            AtomicOp::MinS => pick(editor, Binary::LtSigned, old, value),
            AtomicOp::MinU => pick(editor, Binary::LtUnsigned, old, value),
            AtomicOp::MaxS => pick(editor, Binary::LtSigned, value, old),
            AtomicOp::MaxU => pick(editor, Binary::LtUnsigned, value, old),
        };
        editor.store(object, index, new);
        old
    }

    fn exchange(&mut self, object: Object, index: Value, expected: Value, value: Value) -> Value {
        let editor = &mut self.editor;
        if is_shared(editor.function, object) {
            editor.function.objects[object.0 as usize].written = true;
            let op = Op::ObjectCompareExchange {
                object,
                index,
                expected,
                value,
            };
            return editor.push(op, Type::I32);
        }
        let old = editor.load(object, index);
        let old = editor.reinterpret(old, Type::I32);
        let is_equal = editor.binary(Binary::Eq, old, expected);
        let new = editor.select(is_equal, value, old);
        editor.store(object, index, new);
        old
    }
}
