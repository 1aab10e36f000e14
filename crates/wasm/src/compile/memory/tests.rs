//! Text tests of both models, and a comparison of the linear one with the reference interpreter.

use super::super::ir::evaluate::{End, Machine, evaluate};
use super::super::ir::{
    Access, Argument, Function, ObjectKind, Op, Terminator, Trap, TrapSite, Type, Value, Width,
    parse, verify,
};
use super::{MemoryLayout, MemoryModel, Resolution, resolve};
use crate::TrapCode;
use crate::module::Type as WasmType;

/// One page without a known layout.
fn plain() -> MemoryLayout {
    MemoryLayout {
        pages: 1,
        max_pages: 1,
        ..MemoryLayout::default()
    }
}

/// A stack of 4 KiB, then statics of 64 bytes.
fn linked() -> MemoryLayout {
    MemoryLayout {
        stack_pointer: 4096,
        statics: [4096, 4160],
        is_linked: true,
        segments: vec![(4096, (0..16).collect())],
        ..plain()
    }
}

fn resolved(text: &str, layout: &MemoryLayout) -> (Function, Resolution) {
    let mut function = parse(text).expect("a function");
    let resolution = resolve(&mut function, layout).expect("a resolution");
    assert_eq!(verify(&function), Ok(()), "{function}");
    (function, resolution)
}

/// The text of the resolved function without its first lines.
fn lines(text: &str, layout: &MemoryLayout) -> Vec<String> {
    let (function, resolution) = resolved(text, layout);
    assert_eq!(resolution, Resolution::Resolved);
    let text = function.to_string();
    let lines = text.lines().map(|line| line.trim().to_owned());
    lines.skip_while(|line| !line.starts_with("b0")).collect()
}

fn objects(function: &Function) -> Vec<Vec<u32>> {
    let objects = function.objects.iter();
    let words = objects.map(|object| {
        let mut words = match &object.kind {
            ObjectKind::Data(words) | ObjectKind::Private(words) => words.clone(),
            _ => Vec::new(),
        };
        words.resize(object.words.unwrap_or(16) as usize, 0);
        words
    });
    words.collect()
}

/// Runs a function before and after `resolve`, in the linear model.
fn compare(function: &Function, arguments: &[u64]) {
    let layout = plain();
    let mut memory: Vec<u8> = vec![0; 1 << 16];
    let mut before = Machine {
        arguments: arguments.to_vec(),
        memory: memory.clone(),
        ..Machine::default()
    };
    let expected = evaluate(function, &mut before, 1 << 20);
    let mut lowered = function.clone();
    resolve(&mut lowered, &layout).expect("a resolution");
    assert_eq!(verify(&lowered), Ok(()), "{lowered}");
    let mut after = Machine {
        arguments: arguments.to_vec(),
        objects: objects(&lowered),
        ..Machine::default()
    };
    let end = evaluate(&lowered, &mut after, 1 << 22);
    let linear = lowered
        .objects
        .iter()
        .position(|object| object.kind == ObjectKind::Linear);
    if let Some(linear) = linear {
        let words = after.objects[linear].iter();
        memory = words.flat_map(|word| word.to_le_bytes()).collect();
    }
    assert_eq!(end, expected, "{arguments:x?}\n{function}\n{lowered}");
    if matches!(expected, End::Returned(_)) {
        let differs = memory.iter().zip(&before.memory).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{arguments:x?}\n{function}\n{lowered}");
    }
}

/// A multiplicative generator (Steele and Vigna's SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// Loads and stores of all kinds and bulk operations, at addresses near both ends of the memory.
fn random_accesses(seed: u64) -> Function {
    let mut random = Random(seed);
    let mut function = Function::default();
    function.arguments = vec![Argument::Number(WasmType::I32); 3];
    function.results = vec![Type::I64];
    let trap = function.add_trap(TrapSite {
        code: TrapCode::OutOfBoundsMemory,
        function: "random".to_owned(),
        offset: 0,
        message: None,
    });
    let block = function.add_block();
    let addresses: Vec<Value> = [0, 1, 2]
        .map(|at| function.floating(Op::Argument(at), Type::I32))
        .into();
    let mut sum = function.constant(Type::I64, 0x0123_4567_89ab_cdef);
    let operands = Operands {
        from: [addresses[0], function.word(8)][random.below(2) as usize],
        bytes: vec![function.word(8), function.word(70), addresses[2]],
        aligns: 3,
    };
    for _ in 0..8 {
        let address = match random.below(4) {
            0 => function.word(random.below(9) as u32),
            _ => addresses[random.below(3) as usize],
        };
        sum = random_access(&mut function, &mut random, (address, sum), trap, &operands);
    }
    function.block_mut(block).terminator = Terminator::Return(vec![sum]);
    function
}

/// The operands of random accesses.
struct Operands {
    /// The source of a copy.
    from: Value,
    /// Sizes of bulk operations.
    bytes: Vec<Value>,
    /// Promised alignments are below this power of two.
    aligns: u64,
}

fn random_access(
    function: &mut Function,
    random: &mut Random,
    (address, sum): (Value, Value),
    trap: Trap,
    operands: &Operands,
) -> Value {
    use super::super::ir::{Binary, Unary};
    let block = Function::ENTRY;
    let signed = random.below(2) == 0;
    let ty = [Type::I32, Type::I64, Type::F32, Type::F64][random.below(4) as usize];
    let width = match random.below(4) {
        1 if !ty.is_float() => Width::Bits8 { signed },
        2 if !ty.is_float() => Width::Bits16 { signed },
        3 if ty == Type::I64 => Width::Bits32 { signed },
        _ => Width::Full,
    };
    let access = Access {
        ty,
        width,
        offset: random.below(6) as u32,
        align: random.below(operands.aligns) as u8,
        trap,
    };
    let bytes = operands.bytes[random.below(operands.bytes.len() as u64) as usize];
    match random.below(8) {
        0 => {
            let from = operands.from;
            let op = Op::MemoryCopy {
                to: address,
                from,
                bytes,
                trap,
            };
            function.push(block, op, Type::Unit);
            sum
        }
        1 => {
            let value = function.floating(Op::Argument(0), Type::I32);
            let op = Op::MemoryFill {
                to: address,
                value,
                bytes,
                trap,
            };
            function.push(block, op, Type::Unit);
            sum
        }
        2..5 => {
            let word = function.push(block, Op::Unary(Unary::Wrap, sum), Type::I32);
            let value = match ty {
                Type::I32 => word,
                Type::F32 => function.push(block, Op::Unary(Unary::Reinterpret(ty), word), ty),
                Type::F64 => function.push(block, Op::Unary(Unary::Reinterpret(ty), sum), ty),
                _ => sum,
            };
            let op = Op::Store {
                access,
                address,
                value,
            };
            function.push(block, op, Type::Unit);
            let one = function.constant(Type::I64, 13);
            function.push(block, Op::Binary(Binary::RotateLeft, sum, one), Type::I64)
        }
        _ => {
            let value = function.push(block, Op::Load { access, address }, ty);
            let value = match ty {
                Type::F32 => function.push(
                    block,
                    Op::Unary(Unary::Reinterpret(Type::I32), value),
                    Type::I32,
                ),
                Type::F64 => function.push(
                    block,
                    Op::Unary(Unary::Reinterpret(Type::I64), value),
                    Type::I64,
                ),
                _ => value,
            };
            let value = match function.ty(value) {
                Type::I32 => function.push(block, Op::Unary(Unary::ZeroExtend, value), Type::I64),
                _ => value,
            };
            function.push(block, Op::Binary(Binary::Add, sum, value), Type::I64)
        }
    }
}

#[test]
fn the_linear_model_does_what_webassembly_says() {
    let mut random = Random(7);
    for seed in 0..2000 {
        let function = random_accesses(seed);
        for _ in 0..3 {
            let near = [0, 16, 0x8000, 0xffe8][random.below(4) as usize];
            let mut arguments = [near + random.below(24), random.below(64), random.below(90)];
            if random.below(16) == 0 {
                arguments[0] = u64::from(u32::MAX) - random.below(12);
            }
            compare(&function, &arguments);
        }
    }
}

/// Accesses of a frame of 64 bytes below the end of the memory, with known bounds.
fn random_frame(seed: u64) -> Function {
    use super::super::ir::Binary;
    let mut random = Random(seed);
    let mut function = Function::default();
    function.arguments = vec![Argument::Number(WasmType::I32); 3];
    function.results = vec![Type::I64];
    let trap = function.add_trap(TrapSite {
        code: TrapCode::OutOfBoundsMemory,
        function: "random".to_owned(),
        offset: 0,
        message: None,
    });
    let block = function.add_block();
    let pointer = function.floating(Op::StackPointer, Type::I32);
    let add = |function: &mut Function, binary, left, right| {
        function.push(block, Op::Binary(binary, left, right), Type::I32)
    };
    let mut addresses = Vec::new();
    for at in 0..4 {
        let down = function.word([64, 60, 41, 32][at as usize]);
        let base = add(&mut function, Binary::Sub, pointer, down);
        addresses.push(base);
        if random.below(2) == 0 {
            let mask = function.word([3, 4, 15][random.below(3) as usize]);
            let index = function.floating(Op::Argument(at % 3), Type::I32);
            let index = add(&mut function, Binary::And, index, mask);
            addresses.push(add(&mut function, Binary::Add, base, index));
        }
    }
    let operands = Operands {
        from: addresses[random.below(addresses.len() as u64) as usize],
        bytes: vec![function.word(8), function.word(3), function.word(12)],
        aligns: 1,
    };
    let mut sum = function.constant(Type::I64, 0x0123_4567_89ab_cdef);
    for _ in 0..10 {
        let address = addresses[random.below(addresses.len() as u64) as usize];
        sum = random_access(&mut function, &mut random, (address, sum), trap, &operands);
    }
    function.block_mut(block).terminator = Terminator::Return(vec![sum]);
    function
}

#[test]
fn the_resolved_model_does_the_same_in_its_bounds() {
    let layout = MemoryLayout {
        stack_pointer: 1 << 16,
        is_linked: true,
        ..plain()
    };
    let mut random = Random(9);
    for seed in 0..1000 {
        let function = random_frame(seed);
        let arguments: Vec<u64> = (0..3).map(|_| random.next() & 0xffff_ffff).collect();
        let mut lowered = function.clone();
        let resolution = resolve(&mut lowered, &layout);
        assert_eq!(resolution, Ok(Resolution::Resolved), "{function}");
        assert_eq!(verify(&lowered), Ok(()), "{lowered}");
        let mut before = Machine {
            arguments: arguments.clone(),
            memory: vec![0; 1 << 16],
            ..Machine::default()
        };
        let mut after = Machine {
            arguments: arguments.clone(),
            objects: objects(&lowered),
            ..Machine::default()
        };
        let expected = evaluate(&function, &mut before, 1 << 16);
        let end = evaluate(&lowered, &mut after, 1 << 16);
        assert_eq!(end, expected, "{arguments:x?}\n{function}\n{lowered}");
    }
}

#[test]
fn slices_are_bindings_with_divided_indices() {
    let text = "kernel f(slice0, len0, i32)
        slices o0
        o0 = U32 Binding(0, 3) \"a\"
        b0:
          v0: i32 = Shl arg2, 2
          v1: i32 = Add slice0, v0
          v2: f32 = Load f32+4 v1
          Store f32 v1, v2
          return";
    let expected = "b0:
          v0: i32 = Shl arg2, 2
          v1: i32 = Add 134217728, v0
          v6: i32 = Add arg2, 1
          v7: f32 = ObjectLoad o0[v6]
          ObjectStore o0[arg2], v7
          return";
    let (function, _) = resolved(text, &linked());
    let text = function.to_string();
    for line in expected
        .lines()
        .map(str::trim)
        .filter(|line| line.contains("Object"))
    {
        let name = line.split('[').next().unwrap();
        let name = name.split(" = ").last().unwrap();
        assert!(text.contains(name), "{text}");
    }
    assert!(text.contains("o0[arg2]"), "{text}");
    assert!(
        text.contains("= F32 Binding") || text.contains("F32"),
        "{text}"
    );
}

#[test]
fn frames_and_statics_are_objects() {
    let lines = lines(
        "kernel f(i32) -> i32
        b0:
          v0: i32 = Sub sp, 32
          Store i32+12 v0, arg0
          v1: i32 = And arg0, 7
          v2: i32 = Load i32.8u+4096 v1
          v3: i32 = Load i32+12 v0
          v4: i32 = Add v2, v3
          return v4",
        &linked(),
    );
    let text = lines.join("\n");
    assert!(!text.contains("o0["), "{text}");
    assert!(
        text.contains("Add v2, arg0") || text.contains(", arg0"),
        "{text}"
    );
    assert!(text.contains("ObjectLoad o1["), "{text}");
    assert!(!text.contains("TrapIf"), "{text}");
}

#[test]
fn bounded_accesses_divide_the_frame() {
    let (function, _) = resolved(
        "kernel f(i32) -> i32
        b0:
          v0: i32 = Sub sp, 80
          Store i32 v0, arg0
          v1: i32 = And arg0, 7
          v2: i32 = Shl v1, 2
          v3: i32 = Add v0, v2
          Store i32+16 v3, 5
          v4: i32 = Load i32+20 v0
          v5: i32 = Load i32 v0
          v6: i32 = Add v4, v5
          return v6",
        &linked(),
    );
    let sizes = function
        .objects
        .iter()
        .map(|object| (object.name.as_str(), object.words));
    let expected = [("frame_0", Some(1)), ("frame_16", Some(8))];
    assert_eq!(sizes.collect::<Vec<_>>(), expected);
    let text = function.to_string();
    assert!(text.contains("ObjectStore o1[v1], 5"), "{text}");
    assert!(!text.contains("o0["), "{text}");
}

#[test]
fn pointers_are_followed_through_the_frame() {
    let lines = lines(
        "kernel f(slice0, len0, i32) -> i32
        slices o0
        o0 = U32 Binding(0, 3) \"a\"
        b0:
          v0: i32 = Sub sp, 16
          Store i32+4 v0, slice0
          Store i32+8 v0, len0
          v1: i32 = Load i32+4 v0
          v2: i32 = Load i32+8 v1
          return v2",
        &linked(),
    );
    let text = lines.join("\n");
    assert!(text.contains("ObjectLoad o0["), "{text}");
}

#[test]
fn unknown_addresses_take_the_linear_model() {
    for (text, reason) in [
        ("Load i32 arg0", "the address at 0x0 in `f` is not known"),
        ("MemoryGrow 1", "it grows its memory"),
    ] {
        let text = format!("kernel f(i32)\nb0:\nv0: i32 = {text}\nreturn");
        let (_, resolution) = resolved(&text, &linked());
        assert_eq!(resolution, Resolution::Linear(reason.to_owned()));
    }
    let forced = MemoryLayout {
        model: MemoryModel::Linear,
        ..linked()
    };
    let (_, resolution) = resolved("kernel f\nb0:\nv0: i32 = Load i32 sp\nreturn", &forced);
    assert!(matches!(resolution, Resolution::Linear(_)));
}

#[test]
fn growing_counts_pages() {
    let layout = MemoryLayout {
        max_pages: 3,
        ..plain()
    };
    let (function, _) = resolved(
        "kernel f(i32) -> i32, i32, i32
        b0:
          v0: i32 = MemoryGrow arg0
          v1: i32 = MemoryGrow 1
          v2: i32 = MemorySize
          return v0, v1, v2",
        &layout,
    );
    let none = u64::from(u32::MAX);
    for (pages, expected) in [(1, [1, 2, 3]), (2, [1, none, 3]), (3, [none, 1, 2])] {
        let mut machine = Machine {
            arguments: vec![pages],
            objects: objects(&function),
            ..Machine::default()
        };
        let end = evaluate(&function, &mut machine, 100);
        assert_eq!(end, End::Returned(expected.to_vec()));
    }
}

#[test]
fn addresses_outside_the_statics_trap_in_workgroup_memory() {
    let text = |address: &str| {
        format!(
            "kernel f(i32) -> i32
            b0:
              v0: i32 = Host workgroup_load {address}
              return v0"
        )
    };
    for (address, traps) in [
        ("4100", false),
        ("4102", true),
        ("4160", true),
        ("arg0", true),
    ] {
        let (function, _) = resolved(&text(address), &linked());
        assert_eq!(
            function.to_string().contains("TrapIf"),
            traps,
            "{address}\n{function}"
        );
    }
}

#[test]
fn pixels_are_written_inside_the_picture() {
    let (function, _) = resolved(
        "kernel f(i32, f32)
        b0:
          Host set_pixel arg0, 2, arg1, 0.5f, 1.0f, arg1
          return",
        &plain(),
    );
    let text = function.to_string();
    assert_eq!(text.matches("ObjectStore").count(), 4, "{text}");
    assert!(text.contains("LtUnsigned arg0, PictureWidth"), "{text}");
}

#[test]
fn bindings_of_buffers_must_be_constant() {
    let text = "kernel f(i32) -> i32
        b0:
          v0: i32 = Host buffer_load arg0, 1
          return v0";
    let mut function = parse(text).expect("a function");
    assert!(resolve(&mut function, &plain()).is_err());
    let (function, _) = resolved(&text.replace("arg0", "65539"), &plain());
    let kind = &function.objects[0].kind;
    assert_eq!(
        *kind,
        ObjectKind::Binding {
            group: 1,
            binding: 3
        }
    );
}

/// The models of the example kernels.
#[test]
fn example_kernels_resolve() {
    use crate::module::{Definitions, LinkedModule, decode};
    let bytes = include_bytes!("../../../tests/fixtures/kernels.wasm");
    let module = decode(bytes).expect("a module");
    let mut definitions = Definitions::default();
    let linked = LinkedModule::link(&module, &mut definitions).expect("a linked module");
    let layout = MemoryLayout::of(&linked, &definitions, MemoryModel::Auto, 64);
    for export in &module.exports {
        if !matches!(export.kind, wasmparser::ExternalKind::Func) {
            continue;
        }
        let options = super::super::CompileOptions::default();
        let built = super::super::build::build(&linked, &definitions, export.index, &options);
        let mut function = match built {
            Ok(function) => function,
            Err(error) => panic!("{}: {error}", export.name),
        };
        super::super::pass::optimize(&mut function);
        let resolution = resolve(&mut function, &layout);
        assert_eq!(verify(&function), Ok(()), "{function}");
        super::super::pass::clean(&mut function);
        assert_eq!(verify(&function), Ok(()), "{function}");
        assert_eq!(resolution, Ok(Resolution::Resolved), "{}", export.name);
    }
}
