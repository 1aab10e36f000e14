//! The objects of a kernel and the types of their words, chosen by majority of the accesses.

use std::collections::HashMap;

use super::super::ir::{
    Cfg, Element, Function, Object, ObjectData, ObjectKind, Op, Type, Unary, Value,
};

/// What the accesses of an object want.
#[derive(Clone, Copy, Debug, Default)]
struct Votes {
    floats: u32,
    words: u32,
    is_atomic: bool,
}

/// Finds or makes objects, and counts how they are accessed.
#[derive(Debug)]
pub(super) struct Objects<'f> {
    pub(super) function: &'f mut Function,
    votes: HashMap<Object, Votes>,
    /// By kind, for those that exist once.
    known: HashMap<ObjectKind, Object>,
    /// The values whose uses are all reinterpretations as `F32`.
    floats: Vec<bool>,
}

impl<'f> Objects<'f> {
    pub(super) fn new(function: &'f mut Function, cfg: &Cfg) -> Self {
        let floats = used_as_floats(function, cfg);
        let objects = (0..).zip(&function.objects);
        let is_unique = |(_, object): &(u32, &ObjectData)| {
            !matches!(
                object.kind,
                ObjectKind::Data(_) | ObjectKind::Private(_) | ObjectKind::Workgroup
            )
        };
        let known = objects
            .filter(is_unique)
            .map(|(at, object)| (object.kind.clone(), Object(at)))
            .collect();
        Self {
            function,
            votes: HashMap::new(),
            known,
            floats,
        }
    }

    /// The object of a kind, of which there is one.
    pub(super) fn get(&mut self, kind: ObjectKind, name: &str, words: Option<u32>) -> Object {
        if let Some(&object) = self.known.get(&kind) {
            return object;
        }
        let object = self.function.add_object(ObjectData {
            name: name.to_owned(),
            kind: kind.clone(),
            element: Element::U32,
            words,
            written: false,
        });
        self.known.insert(kind, object);
        object
    }

    /// The buffer at `group << 16 | binding`.
    pub(super) fn binding(&mut self, key: u32) -> Object {
        let (group, binding) = (key >> 16, key & 0xffff);
        let kind = ObjectKind::Binding { group, binding };
        self.get(kind, &format!("buffer_{group}_{binding}"), None)
    }

    /// Counts a load of a value.
    pub(super) fn vote_load(&mut self, object: Object, value: Value) {
        let is_float = match self.function.ty(value) {
            Type::F32 => true,
            _ => self.floats.get(value.0 as usize).copied() == Some(true),
        };
        self.vote(object, is_float);
    }

    /// Counts a store of a value.
    pub(super) fn vote_store(&mut self, object: Object, value: Value) {
        let is_float = match *self.function.op(value) {
            _ if self.function.ty(value) == Type::F32 => true,
            Op::Unary(Unary::Reinterpret(_), source) => self.function.ty(source) == Type::F32,
            _ => false,
        };
        self.vote(object, is_float);
    }

    /// Counts an atomic access.
    pub(super) fn vote_atomic(&mut self, object: Object) {
        self.votes.entry(object).or_default().is_atomic = true;
    }

    fn vote(&mut self, object: Object, is_float: bool) {
        let votes = self.votes.entry(object).or_default();
        if is_float {
            votes.floats += 1;
        } else {
            votes.words += 1;
        }
    }

    /// Sets the element types.
    pub(super) fn finish(self) {
        for (object, votes) in self.votes {
            let element = match votes {
                Votes {
                    is_atomic: true, ..
                } => Element::AtomicU32,
                Votes { floats, words, .. } if floats > words => Element::F32,
                _ => Element::U32,
            };
            self.function.objects[object.0 as usize].element = element;
        }
    }
}

fn used_as_floats(function: &Function, cfg: &Cfg) -> Vec<bool> {
    let mut uses = vec![0_u32; function.value_count()];
    let mut floats = uses.clone();
    for &block in &cfg.order {
        let data = function.block(block);
        for &inst in &data.insts {
            let op = function.op(inst);
            op.for_each_operand(|operand| uses[operand.0 as usize] += 1);
            if let Op::Unary(Unary::Reinterpret(Type::F32), operand) = *op {
                floats[operand.0 as usize] += 1;
            }
        }
        data.terminator
            .for_each_operand(|operand| uses[operand.0 as usize] += 1);
    }
    let both = uses.into_iter().zip(floats);
    both.map(|(uses, floats)| uses > 0 && uses == floats)
        .collect()
}
