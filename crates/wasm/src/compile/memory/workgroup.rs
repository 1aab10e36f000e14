//! Workgroup memory.
//!
//! In: calls with the address of a static variable plus an offset. Out: accesses of
//! [`ObjectKind::Workgroup`] objects. Where the range of every address is known, accesses that can
//! overlap share an object, so that in general each static variable becomes one. Otherwise one
//! object covers all statics. An address outside the statics traps; this is not checked where the
//! range is known, or where the linear form shows an aligned offset from a static and
//! [`MemoryModel::Auto`] trusts the compiler.

use std::collections::HashMap;

use super::super::ir::{
    Binary, Cfg, Element, Function, Object, ObjectData, ObjectKind, Op, Trap, Value,
};
use super::Lowering;
use super::layout::{MemoryLayout, MemoryModel};
use crate::TrapCode;
use crate::module::{Host, HostFunction};

/// The objects of workgroup memory.
#[derive(Debug, Default)]
pub(super) struct Workgroup {
    /// First address and object, in ascending order.
    parts: Vec<(u32, Object)>,
    /// The part of each call, and whether its range is known to be inside.
    calls: HashMap<Value, (usize, bool)>,
}

/// The address operand of a call that accesses workgroup memory.
fn address(function: &Function, inst: Value) -> Option<Value> {
    let Op::Host {
        function: HostFunction::Numbered(host),
        ref args,
        ..
    } = *function.op(inst)
    else {
        return None;
    };
    let at = match host {
        Host::WorkgroupLoad | Host::WorkgroupStore | Host::WorkgroupCompareExchange => 0,
        Host::WorkgroupAtomic => 1,
        _ => return None,
    };
    args.get(at).copied()
}

impl Workgroup {
    /// Makes the objects. `range` gives the first and the last address of a call, if known.
    pub(super) fn new(
        function: &mut Function,
        cfg: &Cfg,
        layout: &MemoryLayout,
        range: impl Fn(&Function, Value, Value) -> Option<[u32; 2]>,
    ) -> Self {
        let blocks = cfg.order.iter();
        let insts = blocks.flat_map(|&block| &function.block(block).insts);
        let calls = insts.filter_map(|&inst| Some((inst, address(function, inst)?)));
        let calls: Vec<(Value, Value)> = calls.collect();
        if calls.is_empty() {
            return Self::default();
        }
        let [first, end] = layout.statics;
        let [first, end] = [first & !3, end];
        let ranges = calls.iter().map(|&(inst, address)| {
            let range = range(function, inst, address)?;
            let is_inside = first <= range[0] && range[1].checked_add(4)? <= end;
            is_inside.then_some(range)
        });
        let ranges: Vec<Option<[u32; 2]>> = ranges.collect();
        let mut extents: Vec<[u32; 2]> = match ranges.iter().copied().collect::<Option<Vec<_>>>() {
            Some(all) => all,
            None => vec![[first, end.max(first + 4) - 4]],
        };
        extents.sort_unstable();
        let mut whole: Vec<[u32; 2]> = Vec::new();
        for [low, high] in extents {
            match whole.last_mut() {
                Some(last) if low <= last[1] + 3 => last[1] = last[1].max(high),
                _ => whole.push([low & !3, high]),
            }
        }
        let mut workgroup = Self::default();
        for [low, high] in whole {
            let object = function.add_object(ObjectData {
                name: format!("workgroup_{}", workgroup.parts.len()),
                kind: ObjectKind::Workgroup,
                element: Element::U32,
                words: Some((high - low) / 4 + 1),
                written: true,
            });
            workgroup.parts.push((low, object));
        }
        for (&(inst, _), range) in calls.iter().zip(&ranges) {
            let low = range.map_or(first, |range| range[0]);
            let part = workgroup.parts.partition_point(|&(at, _)| at <= low);
            workgroup
                .calls
                .insert(inst, (part.saturating_sub(1), range.is_some()));
        }
        workgroup
    }

    /// The object of a call.
    pub(super) fn object(&self, inst: Value) -> Option<Object> {
        let (part, _) = self.calls.get(&inst)?;
        self.parts.get(*part).map(|&(_, object)| object)
    }
}

impl Lowering<'_> {
    /// The index of the word at an address.
    pub(super) fn workgroup_index(&mut self, inst: Value, address: Value, trap: Trap) -> Value {
        let (part, is_known) = self
            .workgroup
            .calls
            .get(&inst)
            .copied()
            .unwrap_or((0, false));
        let base = self.workgroup.parts.get(part).map_or(0, |&(base, _)| base);
        let mut form = self.numeric(address);
        let is_aligned = self.alignment.of_sum(&form) >= 2;
        let [first, end] = self.layout.statics;
        let is_static = self.layout.is_linked
            && self.layout.model == MemoryModel::Auto
            && (first..end).contains(&form.constant);
        if !is_aligned || !(is_known || is_static && !form.terms.is_empty()) {
            self.check_static(address, trap);
        }
        form.constant = form.constant.wrapping_sub(base);
        self.word_index(&form)
    }

    /// Traps unless an address is aligned and in the statics, as on the virtual machine.
    fn check_static(&mut self, address: Value, trap: Trap) {
        let [first, end] = self.layout.statics;
        let first = first & !3;
        let address = match self.numeric(address).as_constant() {
            Some(word) => self.editor.word(word),
            None => address,
        };
        let trap = self.editor.trap_with_code(trap, TrapCode::WorkgroupMemory);
        let editor = &mut self.editor;
        let low = editor.binary_word(Binary::And, address, 3);
        let none = editor.word(0);
        // Constants are folded only in comparisons for order.
        let is_odd = editor.binary(Binary::LtUnsigned, none, low);
        let offset = editor.binary_word(Binary::Sub, address, first);
        let is_outside = match end
            .checked_sub(first)
            .and_then(|bytes| bytes.checked_sub(4))
        {
            Some(last) => {
                let last = editor.word(last);
                editor.binary(Binary::LtUnsigned, last, offset)
            }
            None => editor.condition(true),
        };
        let is_wrong = editor.binary(Binary::Or, is_odd, is_outside);
        editor.trap_if(is_wrong, trap);
    }
}
