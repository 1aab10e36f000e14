//! Traps, their words, results of 64 bits, and threads beyond the last one.

use super::device::Launch;
use super::emitted;
use crate::compile::emit::emit;
use crate::compile::ir::parse;

fn launch(threads: u32, arguments: Vec<u64>) -> Launch {
    Launch {
        threads,
        workgroups: threads.div_ceil(4),
        arguments,
        buffers: [((0, 0), vec![0; 8])].into(),
        ..Launch::default()
    }
}

#[test]
fn words_of_a_trap() {
    let function = parse(
        "kernel checks(i64, f64) -> i64, f32
o0 = U32 Binding(0, 0) written \"out\"
b0:
  v0: bool = LeUnsigned 2, ThreadId
  TrapIf v0, Panic ThreadId, arg0
  ObjectStore o0[ThreadId], 1
  v1: f32 = Demote arg1
  return arg0, v1
",
    )
    .unwrap();
    let kernel = emitted(&function, [4, 1, 1]);
    let layout = kernel.status.unwrap();
    assert_eq!((layout.trap_words, layout.result_words), (3, 3));
    let outcome = launch(3, vec![0x1234_5678_9abc_def0, 1.5_f64.to_bits()]).run(&kernel);
    let (low, high, float) = (0x9abc_def0, 0x1234_5678, 1.5_f32.to_bits());
    let expected = [
        [0, 0, 0, 0, low, high, float],
        [0, 0, 0, 0, low, high, float],
        [1, 2, low, high, 0, 0, 0],
    ];
    assert_eq!(outcome.status, expected.concat());
    // The fourth thread of the workgroup is not one of the launch.
    assert_eq!(outcome.buffers[&(0, 0)], [1, 1, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn a_trap_does_not_miss_the_barrier() {
    let function = parse(
        "kernel waits -> i32
o0 = U32 Binding(0, 0) written \"out\"
o1 = U32 Workgroup words=4 written \"tile\"
b0:
  ObjectStore o1[LocalIndex], 1
  v0: bool = Eq LocalIndex, 2
  TrapIf v0, Panic 5
  ObjectStore o1[LocalIndex], 2
  Host workgroup_barrier
  jump b1(0, 0)
b1(v1: i32, v2: i32):
  v3: bool = Eq v1, 4
  branch v3, b3, b2
b2:
  v4: i32 = ObjectLoad o1[v1]
  v5: i32 = Add v2, v4
  v6: i32 = Add v1, 1
  jump b1(v6, v5)
b3:
  ObjectStore o0[GlobalId(0)], v2
  return v2
",
    )
    .unwrap();
    let kernel = emitted(&function, [4, 1, 1]);
    let outcome = launch(4, Vec::new()).run(&kernel);
    assert_eq!(outcome.buffers[&(0, 0)][..4], [7, 7, 0, 7]);
    assert_eq!(outcome.status, [0, 0, 7, 0, 0, 7, 1, 5, 0, 0, 0, 7]);
}

#[test]
fn names_are_identifiers() {
    let mut function = parse("kernel x\nb0:\n  return\n").unwrap();
    function.name = "my module::kernel<f32>".to_owned();
    assert_eq!(
        emitted(&function, [1, 1, 1]).entry_point,
        "my_module_kernel_f32_"
    );
}

#[test]
fn a_trap_on_the_way_to_a_barrier_is_refused() {
    let function = parse(
        "kernel waits -> i32
o0 = U32 Binding(0, 0) written \"out\"
b0:
  v0: bool = Eq LocalIndex, 2
  branch v0, b1, b2
b1:
  trap Panic 5
b2:
  Host workgroup_barrier
  ObjectStore o0[GlobalId(0)], 3
  return 1
",
    )
    .unwrap();
    let error = emit(&function, [4, 1, 1]).unwrap_err().to_string();
    assert!(error.contains("a trap on the way to a barrier"), "{error}");
}

#[test]
fn a_trap_in_a_loop_with_a_barrier() {
    let function = parse(
        "kernel rounds
o0 = U32 Binding(0, 0) written \"out\"
o1 = U32 Workgroup words=4 written \"tile\"
b0:
  jump b1(0)
b1(v0: i32):
  v1: bool = LtUnsigned v0, 3
  branch v1, b2, b3
b2:
  v2: i32 = Add v0, LocalIndex
  v3: bool = Eq v2, 4
  TrapIf v3, Panic v0
  ObjectStore o1[LocalIndex], v2
  Host workgroup_barrier
  v4: i32 = Add v0, 1
  jump b1(v4)
b3:
  v5: i32 = ObjectLoad o1[LocalIndex]
  ObjectStore o0[GlobalId(0)], v5
  return
",
    )
    .unwrap();
    let kernel = emitted(&function, [4, 1, 1]);
    let outcome = launch(4, Vec::new()).run(&kernel);
    assert_eq!(outcome.buffers[&(0, 0)][..4], [2, 3, 0, 0]);
    assert_eq!(outcome.status, [0, 0, 0, 0, 1, 2, 1, 1]);
}
