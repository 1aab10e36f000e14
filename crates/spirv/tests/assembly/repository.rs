//! Round trips of every SPIR-V module in the repository, compared with SPIRV-Tools.

use std::path::Path;

use anywarp_program::Program;
use anywarp_spirv::{SpirvOptions, assemble, disassemble};

use crate::assembly::tools::{self, assembled, bytes, files};

/// Checks that our and their assembler restore the words from our text, and that our assembler accepts their text.
#[track_caller]
fn there_and_back(words: &[u32], name: &Path) {
    let name = name.display();
    let text = disassemble(words).unwrap_or_else(|error| panic!("{name}: {error}"));
    let ours = assemble(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
    assert_eq!(ours, words, "{name}");
    let theirs = assembled(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
    assert_eq!(theirs[5..], words[5..], "{name}");
    for style in ["--raw-id", "--no-header"] {
        let text = tools::run("spirv-dis", &["--no-color", style], &bytes(words));
        let text = String::from_utf8(text.unwrap_or_else(|error| panic!("{name}: {error}")));
        let text = text.expect("UTF-8");
        let ours = assemble(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        let theirs = assembled(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(ours[5..], theirs[5..], "{name} {style}");
    }
}

#[test]
fn texts_become_the_words_of_spirv_as() {
    if !tools::are_there() {
        return;
    }
    let files = files("spvasm");
    assert!(files.len() >= 21, "{} files", files.len());
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let ours = assemble(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let theirs = assembled(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(ours[5..], theirs[5..], "{}", path.display());
        there_and_back(&ours, &path);
    }
}

#[test]
fn words_become_text_and_the_same_words() {
    if !tools::are_there() {
        return;
    }
    let files = files("spv");
    assert!(files.len() >= 9, "{} files", files.len());
    for path in files {
        let words = anywarp_spirv::words(&std::fs::read(&path).unwrap()).unwrap();
        there_and_back(&words, &path);
    }
}

#[test]
fn what_is_written_as_spirv_goes_there_and_back() {
    if !tools::are_there() {
        return;
    }
    let mut count = 0;
    for path in files("wgsl") {
        let text = std::fs::read_to_string(&path).unwrap();
        let words = Program::from_wgsl(&text).ok().and_then(|program| {
            anywarp_spirv::write_spirv(&program, &SpirvOptions::default()).ok()
        });
        if let Some(words) = words {
            there_and_back(&words, &path);
            count += 1;
        }
    }
    assert!(count > 200, "{count} modules");
}

#[test]
fn what_spirv_as_does_not_know_of_headers() {
    let words = assemble("; Version: 1.3\n; Generator: 0x00080001\n; Bound: 9\nOpNop").unwrap();
    assert_eq!(words, [0x0723_0203, 0x10300, 0x80001, 9, 0, 0x10000]);
    let text = disassemble(&words).unwrap();
    assert!(text.contains("; Version: 1.3\n"), "{text}");
    assert_eq!(assemble("").unwrap(), [0x0723_0203, 0x10600, 0, 1, 0]);
    // A comment after the first instruction does not set the version.
    assert_eq!(assemble("OpNop ; Version: 1.0").unwrap()[1], 0x10600);
}

#[test]
fn words_that_break_the_grammar_stay() {
    let header = [0x0723_0203, 0x10300, 7, 50, 0];
    let instructions: &[&[u32]] = &[
        &[4 << 16 | 21, 1, 32, 0],
        // A load, which may have another operand, before an unknown instruction.
        &[4 << 16 | 61, 1, 2, 3],
        &[3 << 16 | 0xfffe, 1, 2],
        // The same with a float type, and a constant of it after that.
        &[3 << 16 | 22, 4, 32],
        &[2 << 16 | 0xfffe, 8],
        &[4 << 16 | 43, 4, 5, 0x3f80_0000],
        // A capability without a name, an id of 0, an unterminated string.
        &[2 << 16 | 17, 0xabcd],
        &[2 << 16 | 19, 0],
        &[3 << 16 | 5, 1, 0x4141_4141],
        // An extended instruction of a set that is not imported.
        &[5 << 16 | 12, 1, 9, 30, 7],
        &[1 << 16 | 253],
    ];
    let words: Vec<u32> = header
        .iter()
        .chain(instructions.iter().copied().flatten())
        .copied()
        .collect();
    let text = disassemble(&words).unwrap();
    assert_eq!(assemble(&text).unwrap(), words, "{text}");
    if tools::are_there() {
        assert_eq!(assembled(&text).unwrap()[5..], words[5..], "{text}");
    }
}
