//! File access of kernels is restricted to the allowed folders.

use std::fs;
use std::path::{Path, PathBuf};

use anywarp_wasm::bytecode::{Bytecode, Host, Op};
use anywarp_wasm::runtime::{Resources, ThreadEnd};
use anywarp_wasm::vm;

use super::builder::Builder;
use super::grid::{kernel, launch};

/// A temporary folder of one test, initially empty.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _was_there = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn resources(&self) -> Resources {
        Resources {
            state: vec![0; 8],
            folders: vec![self.0.clone()],
            ..Resources::default()
        }
    }
}

/// Stores text in memory at a multiple of 4.
fn text(b: &mut Builder, at: u32, text: &[u8]) {
    for (address, part) in (at..).step_by(4).zip(text.chunks(4)) {
        let mut word = [0; 4];
        word[..part.len()].copy_from_slice(part);
        b.constant(20, address)
            .constant(21, u32::from_le_bytes(word));
        b.with(Op::Store32, [20, 21, 0], 0);
    }
}

/// Reads a file to address 1024; state 0 is the result, state 1 the first word.
fn reads(path: &str) -> Bytecode {
    let mut b = kernel(|b| {
        text(b, 16, path.as_bytes());
        b.constant(0, 0)
            .constant(1, 16)
            .constant(2, path.len() as u32);
        b.constant(3, 1024).constant(4, 16).host(Host::ReadFile, 1);
        b.host(Host::WriteState, 0);
        b.constant(0, 1)
            .constant(2, 1024)
            .with(Op::I32Load, [1, 2, 0], 0);
        b.host(Host::WriteState, 0);
    });
    b.memory(1, None);
    b.finish()
}

/// Writes "some" to a file; state 0 is the result.
fn writes(path: &str) -> Bytecode {
    let mut b = kernel(|b| {
        text(b, 16, path.as_bytes());
        text(b, 1024, b"some");
        b.constant(0, 0)
            .constant(1, 16)
            .constant(2, path.len() as u32);
        b.constant(3, 1024).constant(4, 4).host(Host::WriteFile, 1);
        b.host(Host::WriteState, 0);
    });
    b.memory(1, None);
    b.finish()
}

fn result(program: &Bytecode, resources: &mut Resources) -> i32 {
    vm::run(program, &launch(1, 1), resources).unwrap();
    resources.state[0] as i32
}

#[test]
fn reading_and_writing() {
    let folder = Folder::new("vm-files-plain");
    fs::create_dir(folder.0.join("inner")).unwrap();
    fs::write(folder.0.join("inner/a.txt"), b"abcdefghijklmnopqrstuvw").unwrap();
    let mut resources = folder.resources();
    // The buffer has 16 bytes.
    assert_eq!(result(&reads("inner/a.txt"), &mut resources), 16);
    assert_eq!(resources.state[1], u32::from_le_bytes(*b"abcd"));
    assert_eq!(result(&writes("inner/b.txt"), &mut resources), 4);
    assert_eq!(fs::read(folder.0.join("inner/b.txt")).unwrap(), b"some");
    assert_eq!(result(&reads("inner/b.txt"), &mut resources), 4);
    assert_eq!(result(&writes("inner/a.txt"), &mut resources), 4);
    assert_eq!(fs::read(folder.0.join("inner/a.txt")).unwrap(), b"some");
}

#[test]
fn codes_for_what_cannot_be() {
    let outside = Folder::new("vm-files-outside");
    fs::write(outside.0.join("secret"), b"secret").unwrap();
    let folder = Folder::new("vm-files-inside");
    fs::create_dir(folder.0.join("inner")).unwrap();
    let mut resources = folder.resources();
    let secret = outside.0.join("secret");
    let absolute = secret.to_str().unwrap();
    for (path, read, write) in [
        ("missing", -1, 4),
        ("no-folder/missing", -1, -1),
        ("../vm-files-outside/secret", -2, -2),
        ("inner/../../vm-files-outside/secret", -2, -2),
        (absolute, -2, -2),
        ("", -2, -2),
        ("inner", -3, -3),
    ] {
        assert_eq!(
            result(&reads(path), &mut resources),
            read,
            "reading {path:?}"
        );
        assert_eq!(
            result(&writes(path), &mut resources),
            write,
            "writing {path:?}"
        );
    }
    assert_eq!(fs::read(outside.0.join("secret")).unwrap(), b"secret");
    resources.folders.clear();
    assert_eq!(result(&reads("missing"), &mut resources), -2);
}

#[cfg(unix)]
#[test]
fn links_that_leave_are_refused() {
    use std::os::unix::fs::symlink;

    let outside = Folder::new("vm-files-behind-links");
    fs::write(outside.0.join("secret"), b"secret").unwrap();
    let folder = Folder::new("vm-files-links");
    let link = |to: &Path, name: &str| symlink(to, folder.0.join(name)).unwrap();
    fs::write(folder.0.join("own"), b"own").unwrap();
    link(&outside.0.join("secret"), "file");
    link(&outside.0, "folder");
    link(&outside.0.join("new"), "dangling");
    link(Path::new("own"), "inside");
    // An absolute link is rejected, whatever its target.
    link(&folder.0.join("own"), "absolute");
    let mut resources = folder.resources();
    for path in [
        "file",
        "folder/secret",
        "folder/new",
        "dangling",
        "absolute",
    ] {
        assert_eq!(result(&reads(path), &mut resources), -2, "reading {path}");
        assert_eq!(result(&writes(path), &mut resources), -2, "writing {path}");
    }
    assert_eq!(result(&reads("inside"), &mut resources), 3);
    assert_eq!(fs::read(outside.0.join("secret")).unwrap(), b"secret");
    assert!(!outside.0.join("new").exists());
}

#[test]
fn the_first_folder_that_has_the_file_counts() {
    let [one, two] = ["vm-files-one", "vm-files-two"].map(Folder::new);
    fs::write(two.0.join("a"), b"two").unwrap();
    let mut resources = one.resources();
    resources.folders.push(two.0.clone());
    assert_eq!(result(&reads("a"), &mut resources), 3);
    assert_eq!(result(&writes("b"), &mut resources), 4);
    assert!(one.0.join("b").exists() && !two.0.join("b").exists());
}

#[test]
fn a_buffer_outside_of_memory_traps() {
    let mut b = kernel(|b| {
        b.constant(1, 0)
            .constant(2, 1)
            .constant(3, 0xfff8)
            .constant(4, 16);
        b.host(Host::ReadFile, 1);
    });
    b.memory(1, None);
    let outcome = vm::run(&b.finish(), &launch(1, 1), &mut Resources::default()).unwrap();
    let ThreadEnd::Trapped(trap) = &outcome.threads[0] else {
        panic!("a trap")
    };
    assert_eq!(
        trap.to_string(),
        "out of bounds memory access in `f0` at 0x1"
    );
}

#[test]
fn a_thousand_threads_write_and_read() {
    // Thread n writes its index to the file named by it, four digits, waits at a barrier, and reads
    // its neighbour's file.
    let folder = Folder::new("vm-files-thousand");
    let mut b = Builder::new();
    let main = b.function(&[], &[], 64);
    b.export("main", main).memory(1, None);
    let digits = |b: &mut Builder| {
        // Slot 0 as base-10 digits 'a'.. at address 16, null-terminated.
        b.constant(11, 0);
        for (address, power) in (16..).zip([1000, 100, 10, 1]) {
            b.constant(12, power)
                .op(Op::I32DivU, [13, 0, 12])
                .constant(12, 10);
            b.op(Op::I32RemU, [13, 13, 12])
                .with(Op::I32AddConst, [13, 13, 0], 97);
            b.constant(12, address).with(Op::Store8, [12, 13, 0], 0);
        }
    };
    b.host(Host::LocalIndex, 0);
    b.op(Op::Gid, [0, 0, 0]);
    digits(&mut b);
    b.constant(1, 64).with(Op::Store32, [1, 0, 0], 0);
    b.constant(1, 16)
        .constant(2, 64)
        .constant(3, 4)
        .host(Host::WriteFileZ, 1);
    b.op(Op::Move, [30, 1, 0]).host(Host::WorkgroupBarrier, 1);
    b.op(Op::Gid, [31, 0, 0])
        .with(Op::I32XorConst, [0, 31, 0], 1);
    digits(&mut b);
    b.constant(1, 16)
        .constant(2, 128)
        .constant(3, 100)
        .host(Host::ReadFileZ, 1);
    b.op(Op::I32Add, [30, 30, 1]);
    b.constant(1, 128).with(Op::I32Load, [33, 1, 0], 0);
    b.op(Op::I32Eq, [33, 33, 0]).op(Op::I32Add, [33, 33, 30]);
    b.op(Op::Move, [32, 31, 0]).host(Host::WriteState, 32).ret();
    let mut resources = folder.resources();
    resources.state = vec![0; 1000];
    let outcome = vm::run(&b.finish(), &launch(5, 200), &mut resources).unwrap();
    assert!(
        outcome
            .threads
            .iter()
            .all(|end| *end == ThreadEnd::Done(Vec::new()))
    );
    // Four bytes written, four read, with the right contents.
    assert_eq!(resources.state, vec![9; 1000]);
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1000);
}
