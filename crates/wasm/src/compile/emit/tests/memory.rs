//! Objects: every kind of memory, accesses outside, atomics.

use super::device::Launch;
use super::emitted;
use crate::compile::emit::{Guards, emit_guarded};
use crate::compile::ir::parse;
use crate::compile::{BindingRole, CompiledKernel};

fn launch(threads: u32, words: Vec<u32>) -> Launch {
    Launch {
        threads,
        workgroups: threads.div_ceil(4),
        buffers: [((0, 1), words)].into(),
        ..Launch::default()
    }
}

#[test]
fn kinds_of_memory() {
    let function = parse(
        "kernel all -> i32, f32, i32, i32
o0 = U32 Binding(0, 1) written \"out\"
o1 = U32 Data[10, 20, 30] words=4 \"table\"
o2 = F32 Data[1065353216, 2143289344] words=2 \"floats\"
o3 = U32 Private[7, 8] words=5 written \"frame\"
o4 = F32 Private[2139095040] words=1 written \"scalar\"
o5 = U32 Linear words=3 written \"linear\"
o6 = U32 Data[40, 50] words=2 \"more\"
b0:
  v0: i32 = And ThreadId, 3
  v1: i32 = ObjectLoad o1[v0]
  v2: f32 = ObjectLoad o2[0]
  ObjectStore o3[v0], v1
  v3: i32 = ObjectLoad o3[1]
  v4: i32 = ObjectLoad o6[v0]
  v5: i32 = Add v3, v4
  v6: f32 = ObjectLoad o4[0]
  v7: f32 = Add v6, v2
  ObjectStore o4[0], v7
  v8: f32 = ObjectLoad o4[0]
  ObjectStore o5[ThreadId], ThreadId
  v9: i32 = ObjectLoad o5[1]
  v10: i32 = ObjectLoad o0[ThreadId]
  v11: i32 = Add v10, 1
  ObjectStore o0[ThreadId], v11
  v12: i32 = ObjectLoad o0[4294967295]
  v13: i32 = Add v12, words(o0)
  return v5, v8, v9, v13
",
    )
    .unwrap();
    for guards in [Guards::Explicit, Guards::Device] {
        kinds_of_memory_with(&emit_guarded(&function, [4, 1, 1], guards).unwrap());
    }
}

fn kinds_of_memory_with(kernel: &CompiledKernel) {
    super::validate_with(&kernel.module, naga::valid::Capabilities::empty()).unwrap();
    let data = kernel
        .bindings
        .iter()
        .filter(|binding| matches!(binding.role, BindingRole::Data(_)));
    assert_eq!(data.count(), 2);
    assert!(kernel.bindings.iter().all(|binding| binding.group < 2));
    // One element short.
    let outcome = launch(4, vec![100, 101, 102]).run(kernel);
    assert_eq!(outcome.buffers[&(0, 1)], [101, 102, 103]);
    let infinity = f32::INFINITY.to_bits();
    let expected = [
        [0, 8 + 40, infinity, 0, 3],
        [0, 20 + 50, infinity, 1, 3],
        [0, 8, infinity, 0, 3],
        [0, 8, infinity, 0, 3],
    ];
    assert_eq!(outcome.status, expected.concat());
    assert_eq!(outcome.linear, [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
}

#[test]
fn atomics() {
    for (op, expected) in [
        ("Add", 0xffff_fff0_u32.wrapping_add(28)),
        ("Sub", 0xffff_fff0 - 28),
        ("MinS", 0xffff_fff0),
        ("MinU", 0),
        ("MaxS", 7),
        ("MaxU", 0xffff_fff0),
        ("And", 0),
        ("Or", 0xffff_fff7),
        ("Xor", 0xffff_fff0),
    ] {
        let function = parse(&format!(
            "kernel atomics
o0 = AtomicU32 Binding(0, 1) written \"words\"
b0:
  v0: i32 = ObjectAtomic {op} o0[1], ThreadId
  v1: i32 = ObjectAtomic {op} o0[ThreadId], 1
  return
"
        ))
        .unwrap();
        let kernel = emitted(&function, [4, 1, 1]);
        let outcome = launch(8, vec![0, 0xffff_fff0]).run(&kernel);
        let found = outcome.buffers[&(0, 1)][1];
        // Thread 1 adds its own operation with 1.
        let last = match op {
            "Add" => expected.wrapping_add(1),
            "Sub" => expected - 1,
            "Xor" => expected ^ 1,
            _ => expected,
        };
        assert_eq!(found, last, "{op}");
    }
}

#[test]
fn compare_exchange_and_exchange() {
    let function = parse(
        "kernel lists -> i32, i32, i32
o0 = AtomicU32 Binding(0, 1) written \"words\"
b0:
  v0: i32 = ObjectCompareExchange o0[ThreadId], 5, 9
  v1: i32 = ObjectAtomic Exchange o0[ThreadId], 77
  v2: i32 = ObjectLoad o0[ThreadId]
  return v0, v1, v2
",
    )
    .unwrap();
    let kernel = emitted(&function, [4, 1, 1]);
    let outcome = launch(4, vec![5, 6, 5]).run(&kernel);
    let expected = [[0, 5, 9, 77], [0, 6, 6, 77], [0, 5, 9, 77], [0, 0, 0, 0]];
    assert_eq!(outcome.status, expected.concat());
}

#[test]
fn workgroup_memory_and_barriers() {
    let function = parse(
        "kernel reverse
o0 = U32 Binding(0, 1) written \"words\"
o1 = U32 Workgroup words=4 written \"tile\"
b0:
  v0: i32 = ObjectLoad o0[GlobalId(0)]
  ObjectStore o1[LocalIndex], v0
  Host workgroup_barrier
  v1: i32 = Sub 3, LocalIndex
  v2: i32 = ObjectLoad o1[v1]
  ObjectStore o0[GlobalId(0)], v2
  return
",
    )
    .unwrap();
    let kernel = emitted(&function, [4, 1, 1]);
    let outcome = launch(8, (0..8).collect()).run(&kernel);
    assert_eq!(outcome.buffers[&(0, 1)], [3, 2, 1, 0, 7, 6, 5, 4]);
}
