//! Assembler, disassembler, file format and verifier: programs round-trip through files and text,
//! and every error is reported, never by a panic.

use anywarp_wasm::bytecode::{
    AssembleError, Bytecode, Debug, ErrorLocation, Export, FileErrorKind, Format, Function,
    FunctionType, Host, Instruction, InstructionError, Limits, Op, Position, Type, VerifyError,
    VerifyErrorKind, assemble, disassemble, verify,
};
use proptest::prelude::*;

/// The frame of the example's first function.
const FRAME: u32 = 300;

/// A valid instance of an opcode; its jump targets are `target`.
fn example(op: Op, target: u32) -> Vec<u32> {
    let first = |a: u8, b: u8, c: u8| u32::from_le_bytes([op as u8, a, b, c]);
    match op.format() {
        Format::None => vec![first(0, 0, 0)],
        Format::D | Format::X => vec![first(251, 0, 0)],
        Format::Dx | Format::Xy => vec![first(1, 250, 0)],
        Format::Dxy => vec![first(1, 2, 250)],
        Format::Dxyz => vec![first(1, 2, 250), 255],
        Format::Dxi => vec![first(1, 2, 0), u32::MAX],
        Format::Di => vec![first(1, 0, 0), i32::MIN as u32],
        Format::Dii => vec![first(1, 0, 0), 7, 1 << 31],
        Format::Dn | Format::Xn => match op {
            Op::FarGet | Op::FarSet => vec![first(1, 43, 1)],
            Op::MemorySize | Op::TableSize => vec![first(1, 1, 0)],
            _ => vec![first(1, 4, 0)],
        },
        Format::T => vec![first(0, 0, 0), target],
        Format::Xt => vec![first(1, 0, 0), target],
        Format::Xyt => vec![first(1, 2, 0), target],
        Format::Xit => vec![first(1, 0, 0), 0x8000_0001, target],
        Format::Table => vec![first(1, 0, 0), 2, target, target, target],
        Format::Load | Format::Store => vec![first(1, 2, 1), u32::MAX],
        Format::Call => vec![first(44, 1, 0), 1],
        Format::CallIndirect => vec![first(44, 1, 0), 1, 0x01ff],
        Format::Bulk => vec![first(1, 2, 3), 1 | u32::from(reads_segment(op)) << 16],
        Format::DxyTo => vec![first(1, 2, if op.widths()[2] > 0 { 3 } else { 0 }), 1],
        Format::XyTo => vec![first(1, 2, 0), 1],
        Format::Segment => vec![first(0, 1, 0)],
        Format::Host => vec![first(9, Host::ReadFile as u8, 0)],
    }
}

/// Whether the instruction reads a segment or another index that is not a slot.
fn reads_segment(op: Op) -> bool {
    !matches!(op, Op::MemoryFill | Op::TableFill)
}

/// A program with every opcode, every host function and something in every list.
fn everything() -> Bytecode {
    let mut code = vec![Op::End as u32];
    let mut positions = Vec::new();
    for (i, &op) in Op::ALL.iter().enumerate() {
        positions.push(Position {
            word: code.len() as u32,
            name: i as u32 % 2,
            offset: i as u32 * 3,
        });
        code.extend(example(op, 1));
    }
    for &host in Host::ALL {
        code.push(u32::from_le_bytes([Op::Host as u8, 3, host as u8, 0]));
    }
    code.push(Op::Return as u32);
    let end = code.len() as u32;
    // A source position that is not at an instruction.
    positions.push(Position {
        word: end,
        name: 0,
        offset: 0xffff_ffff,
    });
    code.extend([Op::Return as u32, Op::Nop as u32, Op::Return as u32]);
    let function = |entry, end, frame, type_index| Function {
        entry,
        end,
        frame,
        type_index,
    };
    Bytecode {
        code,
        functions: vec![
            // Functions are not in code order, with a word between them.
            function(end + 2, end + 3, 2, 1),
            function(end, end + 1, 3, 0),
            function(1, end, FRAME, 1),
        ],
        types: vec![
            FunctionType {
                params: vec![Type::I32, Type::F64],
                results: vec![Type::I64],
            },
            FunctionType {
                params: vec![],
                results: vec![],
            },
            FunctionType {
                params: vec![Type::FuncRef],
                results: vec![Type::ExternRef, Type::F32],
            },
        ],
        memories: vec![
            Limits {
                initial: 1,
                maximum: None,
            },
            Limits {
                initial: 0,
                maximum: Some(65536),
            },
        ],
        tables: vec![
            Limits {
                initial: 3,
                maximum: Some(u32::MAX),
            };
            2
        ],
        globals: 6,
        data: vec![vec![], vec![0, 255, 16, 9, 8]],
        elements: vec![vec![0, 1, 3], vec![]],
        exports: vec![
            Export {
                module: 0,
                name: "a \"name\"\\ with\n\u{7f} 字".to_owned(),
                function: 1,
                launch: 1,
            },
            Export {
                module: 1,
                name: String::new(),
                function: 2,
                launch: 0,
            },
        ],
        inits: vec![0, 2],
        stack_pointer: Some(5),
        statics: [16, 1024],
        debug: Debug {
            names: vec!["first".to_owned(), "second; not".to_owned()],
            positions,
        },
    }
}

#[test]
fn everything_is_accepted_and_comes_back() {
    let program = everything();
    verify(&program).unwrap();
    let back = Bytecode::from_bytes(&program.to_bytes()).unwrap();
    assert_eq!(back, program);
    let text = disassemble(&program);
    let back = assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(back, program);
    // The text names every opcode and host function.
    for op in Op::ALL {
        let name = op.name();
        let is_there = text
            .lines()
            .any(|line| line.split_whitespace().next() == Some(name));
        assert!(is_there, "{name} is missing");
    }
}

/// Each opcode alone round-trips through its text.
#[test]
fn every_opcode_comes_back_from_its_text() {
    for &op in Op::ALL {
        let mut program = everything();
        let first = program.functions[2];
        let mut code = vec![Op::End as u32];
        code.extend(example(op, 1));
        code.push(Op::Return as u32);
        let end = code.len() as u32;
        code.extend(&program.code[first.end as usize..]);
        program.debug.positions.clear();
        program.functions[2].end = end;
        program.functions[1].entry = end;
        program.functions[1].end = end + 1;
        program.functions[0].entry = end + 2;
        program.functions[0].end = end + 3;
        program.code = code;
        verify(&program).unwrap_or_else(|error| panic!("{op:?}: {error}"));
        assert_eq!(assemble(&disassemble(&program)), Ok(program), "{op:?}");
    }
}

#[test]
fn an_empty_program_comes_back() {
    let program = Bytecode {
        code: vec![0],
        ..Bytecode::default()
    };
    assert_eq!(Bytecode::from_bytes(&program.to_bytes()).unwrap(), program);
    assert_eq!(assemble(&disassemble(&program)).unwrap(), program);
}

/// The verification error after a change of a valid program.
fn error_after(change: impl FnOnce(&mut Bytecode)) -> VerifyError {
    let mut program = everything();
    change(&mut program);
    let error = verify(&program).unwrap_err();
    // A file with the same error gives the same error.
    match Bytecode::from_bytes(&program.to_bytes()).unwrap_err().kind {
        FileErrorKind::Verify(same) => assert_eq!(same, error),
        other => panic!("{other}"),
    }
    error
}

/// Replaces the first instruction of the largest function.
fn error_of(instruction: &[u32]) -> VerifyErrorKind {
    let error = error_after(|program| {
        let function = program.functions[2];
        let mut code = vec![0];
        code.extend(instruction);
        code.resize(function.end as usize, Op::Return as u32);
        code.extend(&program.code[function.end as usize..]);
        program.code = code;
    });
    assert_eq!(error.location, ErrorLocation::Word(1));
    error.kind
}

fn word(op: Op, a: u8, b: u8, c: u8) -> u32 {
    u32::from_le_bytes([op as u8, a, b, c])
}

#[test]
fn faults_of_instructions_are_found() {
    let no = |what, number| VerifyErrorKind::NoSuch { what, number };
    assert_eq!(
        error_of(&[0xff]),
        VerifyErrorKind::Instruction(InstructionError::Opcode(0xff))
    );
    assert_eq!(
        error_of(&[word(Op::BrTable, 0, 0, 0), u32::MAX]),
        VerifyErrorKind::Instruction(InstructionError::CutOff(Op::BrTable))
    );
    assert_eq!(
        error_of(&[word(Op::Jump, 0, 0, 0), 2]),
        VerifyErrorKind::Target(2)
    );
    assert_eq!(
        error_of(&[word(Op::Jump, 0, 0, 0), 0]),
        VerifyErrorKind::Target(0)
    );
    assert_eq!(
        error_of(&[word(Op::BrIf, 0, 0, 0), u32::MAX]),
        VerifyErrorKind::Target(u32::MAX)
    );
    assert_eq!(
        error_of(&[word(Op::FarGet, 1, 44, 1)]),
        VerifyErrorKind::Slot {
            slot: FRAME,
            frame: FRAME
        }
    );
    assert_eq!(
        error_of(&[word(Op::Call, 1, 0, 0), 0]),
        VerifyErrorKind::Base(1)
    );
    assert_eq!(
        error_of(&[word(Op::Call, 45, 1, 0), 0]),
        VerifyErrorKind::Slot {
            slot: FRAME,
            frame: FRAME
        }
    );
    assert_eq!(error_of(&[word(Op::Call, 9, 0, 0), 3]), no("function", 3));
    assert_eq!(
        error_of(&[word(Op::CallIndirect, 9, 0, 0), 3, 0]),
        no("type", 3)
    );
    assert_eq!(
        error_of(&[word(Op::CallIndirect, 9, 0, 0), 0, 0x200]),
        no("table", 2)
    );
    assert_eq!(
        error_of(&[word(Op::GlobalGet64, 0, 5, 0)]),
        no("global slot", 6)
    );
    assert_eq!(error_of(&[word(Op::I32Load, 0, 0, 2), 0]), no("memory", 2));
    assert_eq!(error_of(&[word(Op::MemorySize, 0, 2, 0)]), no("memory", 2));
    assert_eq!(
        error_of(&[word(Op::MemoryInit, 0, 1, 2), 2 << 16]),
        no("data segment", 2)
    );
    assert_eq!(
        error_of(&[word(Op::TableInit, 0, 1, 2), 2 << 16]),
        no("element segment", 2)
    );
    assert_eq!(error_of(&[word(Op::TableCopy, 0, 1, 2), 2]), no("table", 2));
    assert_eq!(
        error_of(&[word(Op::ElemDrop, 0, 0, 1)]),
        no("element segment", 256)
    );
    assert_eq!(
        error_of(&[word(Op::Host, 0, 200, 0)]),
        no("host function", 200)
    );
    assert_eq!(
        error_of(&[word(Op::Return, 0, 0, 1)]),
        VerifyErrorKind::Unused
    );
    assert_eq!(
        error_of(&[word(Op::Select, 0, 1, 2), 0x103]),
        VerifyErrorKind::Unused
    );
}

#[test]
fn slots_of_every_operand_must_lie_in_the_frame() {
    for &op in Op::ALL {
        let (right, widths) = (example(op, 1), op.widths());
        for operand in (0..3).filter(|&operand| widths[operand] > 0) {
            let mut program = everything();
            // The smallest frame that the type allows, so that slot 255 is outside.
            program.functions[2].frame = 255;
            let mut code = vec![0];
            code.extend(&right);
            code[1] |= 0xff << (8 * (operand + 1));
            code.resize(program.functions[2].end as usize, Op::Return as u32);
            code.extend(&program.code[code.len()..]);
            program.code = code;
            let error = verify(&program).unwrap_err();
            assert!(
                matches!(error.kind, VerifyErrorKind::Slot { .. }),
                "{op:?}: {error}"
            );
        }
    }
}

#[test]
fn faults_of_lists_are_found() {
    let kind = |change: fn(&mut Bytecode)| {
        let error = error_after(change);
        (error.location, error.kind)
    };
    let no = |what, number| VerifyErrorKind::NoSuch { what, number };
    assert_eq!(
        kind(|program| program.code[0] = 1),
        (ErrorLocation::Part("code"), VerifyErrorKind::FirstWord)
    );
    assert_eq!(
        kind(|program| program.functions[1].entry -= 1),
        (
            ErrorLocation::Element("function", 1),
            VerifyErrorKind::Range
        )
    );
    assert_eq!(
        kind(|program| program.functions[0].end += 1),
        (
            ErrorLocation::Element("function", 0),
            VerifyErrorKind::Range
        )
    );
    assert_eq!(
        kind(|program| program.functions[1].frame = 2),
        (
            ErrorLocation::Element("function", 1),
            VerifyErrorKind::Slot { slot: 2, frame: 2 }
        )
    );
    let last = everything().functions[2].end - 1;
    assert_eq!(
        kind(|program| program.code[program.functions[2].end as usize - 1] = Op::Nop as u32),
        (ErrorLocation::Word(last), VerifyErrorKind::RunsPastEnd)
    );
    assert_eq!(
        kind(|program| program.types[2] = program.types[0].clone()),
        (
            ErrorLocation::Element("type", 2),
            VerifyErrorKind::SameType(0)
        )
    );
    assert_eq!(
        kind(|program| program.memories[0].initial = 65537),
        (ErrorLocation::Element("memory", 0), VerifyErrorKind::Limits)
    );
    assert_eq!(
        kind(|program| program.tables[1].maximum = Some(2)),
        (ErrorLocation::Element("table", 1), VerifyErrorKind::Limits)
    );
    let many = |what, has, max| VerifyErrorKind::TooMany { what, has, max };
    assert_eq!(
        kind(|program| program.tables[0].initial = 10_000_000),
        (
            ErrorLocation::Part("tables"),
            many("elements", 10_000_003, 10_000_000)
        )
    );
    assert_eq!(
        kind(|program| program.globals = 65_536),
        (
            ErrorLocation::Part("globals"),
            many("slots", 65_536, 65_535)
        )
    );
    assert_eq!(
        kind(|program| program.functions[1].frame = u32::MAX),
        (
            ErrorLocation::Element("function", 1),
            many("slots of a frame", u32::MAX.into(), 65_535)
        )
    );
    assert_eq!(
        kind(|program| program.elements[0][1] = 4),
        (
            ErrorLocation::Element("element segment", 0),
            no("function", 3)
        )
    );
    assert_eq!(
        kind(|program| program.inits[0] = 1),
        (
            ErrorLocation::Element("init", 0),
            VerifyErrorKind::WrongType(1)
        )
    );
    assert_eq!(
        kind(|program| program.exports[0].launch = 0),
        (
            ErrorLocation::Element("export", 0),
            VerifyErrorKind::WrongType(0)
        )
    );
    assert_eq!(
        kind(|program| program.exports[1].module = 2),
        (ErrorLocation::Element("export", 1), no("module", 2))
    );
    assert_eq!(
        kind(|program| program.stack_pointer = Some(6)),
        (ErrorLocation::Part("stack pointer"), no("global slot", 6))
    );
    assert_eq!(
        kind(|program| program.statics = [2, 1]),
        (ErrorLocation::Part("statics"), VerifyErrorKind::Limits)
    );
    assert_eq!(
        kind(|program| program.debug.positions[0].name = 2),
        (ErrorLocation::Element("position", 0), no("name", 2))
    );
    assert_eq!(
        kind(|program| program.debug.positions.swap(0, 1)),
        (
            ErrorLocation::Element("position", 1),
            VerifyErrorKind::Order
        )
    );
}

#[test]
fn files_say_where_they_are_wrong() {
    let bytes = everything().to_bytes();
    let error = |bytes: &[u8]| Bytecode::from_bytes(bytes).unwrap_err();
    assert_eq!(
        error(b"\0asm\x01\0\0\0").to_string(),
        "byte 0x0: this is not a bytecode file"
    );
    assert_eq!(error(b"").kind, FileErrorKind::Magic);
    assert_eq!(error(b"AWBC\x01\0").offset, 4);
    let mut other = bytes.clone();
    other[4] = 9;
    assert_eq!(error(&other).kind, FileErrorKind::Version(9));
    for at in 12..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert_eq!(error(&damaged).kind, FileErrorKind::Checksum, "byte {at}");
    }
    for len in 12..bytes.len() {
        assert_eq!(
            error(&bytes[..len]).kind,
            FileErrorKind::Checksum,
            "{len} bytes"
        );
    }
    // An error in the code is reported at its offset in the file.
    let mut program = everything();
    program.code[1] = 0xff;
    let bytes = program.to_bytes();
    let error = error(&bytes);
    assert_eq!(bytes[error.offset..error.offset + 4], [0xff, 0, 0, 0]);
    assert!(
        error.to_string().ends_with("word 1: 0xff is not an opcode"),
        "{error}"
    );
}

#[test]
fn texts_say_where_they_are_wrong() {
    let error = |text: &str| assemble(text).unwrap_err().to_string();
    let cases = [
        (
            "\n  nonsense r1",
            "line 2, column 3: an instruction outside a function",
        ),
        (
            ".nonsense",
            "line 1, column 1: `.nonsense` is not a directive",
        ),
        (".type i32 -> i33", "line 1, column 14: `i33` is not a type"),
        (
            ".type i32",
            "line 1, column 10: expected `->` and the results",
        ),
        (
            ".memory 1 2 3",
            "line 1, column 13: expected the end of the line",
        ),
        (".name \"字\\q\"", "line 1, column 9: unknown escape"),
        (
            ".name \"open",
            "line 1, column 7: the text has no closing quote",
        ),
        (
            ".data \"abc\"",
            "line 1, column 7: expected pairs of hexadecimal digits",
        ),
        (
            ".function 1 type0 frame 3\n.end",
            "line 2, column 1: there is no function 0",
        ),
        (
            ".function 0 type0 frame 3",
            "line 1, column 1: the last function has no `.end`",
        ),
        (".end", "line 1, column 1: there is no function to end"),
        ("here:", "line 1, column 1: a label outside a function"),
    ];
    for (text, message) in cases {
        assert_eq!(error(text), message, "{text}");
    }
    let cases = [
        (
            "  i32.add r1, r2",
            "line 2, column 17: expected `r` and a number, found `the end`",
        ),
        (
            "  i32.add r1, r2, r256",
            "line 2, column 19: `r256` is beyond r255",
        ),
        (
            "  const r1, 4294967296",
            "line 2, column 13: 4294967296 is not in the range -2147483648 to 4294967295",
        ),
        (
            "  const r1, x",
            "line 2, column 13: expected a number, found `x`",
        ),
        ("  add r1", "line 2, column 3: `add` is not an instruction"),
        (
            "  jump nowhere",
            "line 2, column 8: there is no label `nowhere`",
        ),
        ("  jump", "line 2, column 7: expected a label"),
        ("  a:\n a:", "line 3, column 2: label `a` is defined twice"),
        (
            "  host r1, Nothing",
            "line 2, column 12: `Nothing` is not a host function",
        ),
    ];
    for (line, message) in cases {
        let text = format!(".function 0 type0 frame 9\n{line}\n.end");
        assert_eq!(error(&text), message, "{text}");
    }
    let wrong = ".type ->\n.word 0\n.function 0 type0 frame 0\n  nop\n.end";
    assert!(matches!(assemble(wrong), Err(AssembleError::Verify(_))));
}

#[test]
fn a_program_written_by_hand_is_what_it_says() {
    let text = "
        .type i32 -> i32
        .word 0                     ; end
        .function 0 type0 frame 1   ; counts down
        again:
            i32.add_const r0, r0, -1
            br_if r0, again
            return
        .end
    ";
    let program = assemble(text).unwrap();
    assert_eq!(program.code, [0, 0x74, u32::MAX, 0x04, 1, 0x09]);
    assert_eq!(program.functions[0].end, 6);
    let first = Instruction::read(&program.code, 1).unwrap();
    assert_eq!((first.op, first.words()), (Op::I32AddConst, 2));
}

/// Updates the checksum of a changed file, so that the reader gets beyond it.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = crc32fast::hash(bytes.get(12..).unwrap_or_default());
    if let Some(place) = bytes.get_mut(8..12) {
        place.copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// A file with some bytes changed, cut or added is rejected with an offset in it, or it is a
    /// valid program, which then round-trips through text.
    #[test]
    fn changed_files_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in prop::option::weighted(0.1, any::<prop::sample::Index>()),
    ) {
        let mut bytes = everything().to_bytes();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let bytes = with_checksum(bytes);
        match Bytecode::from_bytes(&bytes) {
            Ok(program) => {
                prop_assert_eq!(&assemble(&disassemble(&program)).unwrap(), &program);
            }
            Err(error) => prop_assert!(error.offset <= bytes.len(), "{}", error),
        }
    }

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut file = b"AWBC\x01\0\0\0\0\0\0\0".to_vec();
        file.extend(&bytes);
        let _ = Bytecode::from_bytes(&with_checksum(file));
        let _ = Bytecode::from_bytes(&bytes);
    }

    /// Arbitrary code words: the verifier decides, and the disassembler prints them.
    #[test]
    fn any_code_never_panics(code in prop::collection::vec(any::<u32>(), 1..60), frame in 0u32..300) {
        let mut program = everything();
        let end = code.len() as u32 + 1;
        program.code = [vec![0], code].concat();
        program.functions = vec![Function { entry: 1, end, frame, type_index: 1 }];
        program.debug.positions.clear();
        let _ = verify(&program);
        let _ = disassemble(&program);
    }

    /// A text with some characters changed.
    #[test]
    fn changed_texts_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<char>()), 1..6),
    ) {
        let mut text: Vec<char> = disassemble(&everything()).chars().collect();
        for (at, value) in changes {
            let at = at.index(text.len());
            text[at] = value;
        }
        let text: String = text.into_iter().collect();
        let _ = assemble(&text);
    }
}
