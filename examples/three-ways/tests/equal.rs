//! All kernels have bitwise equal results natively, on the virtual machine and on the GPU interpreter, and these are
//! correct.

use std::fs::{self, OpenOptions};
use std::io::{Write, stderr};

use anywarp::wasm::bytecode::Bytecode;
use anywarp::wasm::gpu::Interpreter;
use anywarp::wasm::runtime::{Launch, MemoryMode, Picture, Resources};
use anywarp::wasm::{TranslateOptions, translate, vm};
use anywarp_build::{BuildError, TARGET};
use gpu_sdk::host::Host;
use three_ways::{CASES, Case, Data, device, interpreted, kernels, native, virtual_machine};

/// The kernels as bytecode; `None` if no compiler for wasm32 is installed.
fn program() -> Option<Bytecode> {
    let module = match kernels() {
        Err(BuildError::NoTarget) => {
            report_skip();
            return None;
        }
        module => module.unwrap(),
    };
    let bytes = fs::read(module).unwrap();
    Some(
        translate(&bytes, &TranslateOptions::default())
            .unwrap()
            .bytecode,
    )
}

/// Reports a skipped test on stderr and in the file that `cargo xtask test` reads.
fn report_skip() {
    let line = format!("SKIPPED: no kernels for wasm32: `rustup target add {TARGET}` is needed\n");
    // Written to the stream directly, because the test harness captures the print macros.
    let _ = stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("ANYWARP_SKIP_LOG") {
        let mut log = OpenOptions::new();
        let log = log.create(true).append(true).open(path);
        log.and_then(|mut log| log.write_all(line.as_bytes()))
            .expect("the file that ANYWARP_SKIP_LOG names can be written");
    }
}

/// The case with a picture small enough for an interpreter without a GPU.
fn small(case: Case) -> Case {
    let data = match case.data {
        Data::Picture { .. } => Data::Picture {
            width: 40,
            height: 24,
        },
        Data::Messages(_) => Data::Messages(128),
        Data::Tiles(_) => Data::Tiles(2),
    };
    Case { data, ..case }
}

#[test]
fn all_ways_give_the_same_bits() {
    let Some(program) = program() else { return };
    let (_, device, queue) = device().unwrap();
    let mut interpreter = pollster::block_on(Interpreter::new(device, queue)).unwrap();
    interpreter.load(&program);
    for case in CASES.map(small) {
        let expected = native(&case);
        // If all words were zero, equality would prove nothing.
        let distinct: std::collections::BTreeSet<_> = expected.iter().collect();
        assert!(distinct.len() > 20, "{}", case.kernel);
        let name = case.kernel;
        assert!(
            virtual_machine(&case, &program).unwrap() == expected,
            "{name} on the VM"
        );
        assert!(
            interpreted(&case, &program, &interpreter).unwrap() == expected,
            "{name} on the interpreter"
        );
    }
}

/// Native derivatives are those of fragments, on the machines those of a workgroup's quads.
#[test]
fn derivatives_are_those_of_fragments() {
    const SIZE: u32 = 32;
    let Some(program) = program() else { return };
    let fragments = gpu_sdk::dispatch_fragments(
        SIZE,
        SIZE,
        |x, y| gpu_sdk::vec2f(x as f32 + 0.5, y as f32 + 0.5),
        |_, position| kernels::ring_colour(position),
    );
    let fragments: Vec<[f32; 4]> = fragments
        .into_iter()
        .flatten()
        .map(|colour| colour.unwrap().to_array())
        .collect();
    let launch = |size: [u32; 2]| Launch {
        kernel: "rings".to_owned(),
        args: Vec::new(),
        workgroups: [SIZE / size[0], SIZE / size[1], 1],
        workgroup_size: [size[0], size[1], 1],
        threads: None,
        memory: MemoryMode::Private,
        max_pages: 2,
        stack_slots: 1024,
        ..Launch::default()
    };
    let resources = || Resources {
        picture: Some(Picture {
            width: SIZE,
            height: SIZE,
            pixels: vec![[0.0; 4]; (SIZE * SIZE) as usize],
        }),
        ..Resources::default()
    };
    let (_, device, queue) = device().unwrap();
    let mut interpreter = pollster::block_on(Interpreter::new(device, queue)).unwrap();
    interpreter.load(&program);
    for size in [[2, 2], [8, 4]] {
        let (mut first, mut second) = (resources(), resources());
        vm::run(&program, &launch(size), &mut first).unwrap();
        pollster::block_on(interpreter.run(&launch(size), &mut second)).unwrap();
        assert!(
            first.picture.unwrap().pixels == fragments,
            "{size:?} on the VM"
        );
        assert!(
            second.picture.unwrap().pixels == fragments,
            "{size:?} on the interpreter"
        );
    }
    // Without quads derivatives are zero.
    let mut flat = resources();
    vm::run(&program, &launch([1, 4]), &mut flat).unwrap();
    let slopes = flat.picture.unwrap().pixels;
    assert!(slopes.iter().all(|pixel| pixel[2] == 0.0));
    assert!(fragments.iter().all(|pixel| pixel[2] > 0.0));
}

#[test]
fn numbers_come_out_sorted() {
    let case = CASES
        .into_iter()
        .find(|case| case.kernel == "sort")
        .unwrap();
    let sorted = native(&case);
    assert!(sorted.chunks(kernels::TILE_LEN).all(<[u32]>::is_sorted));
}

/// The examples of FIPS 180-4, and message lengths around the block size.
#[test]
fn digests_are_those_of_the_standard() {
    let hashed = |text: &[u8]| {
        let mut message = [0; 16];
        for (i, &byte) in text.iter().enumerate() {
            message[i / 4] |= u32::from(byte) << (i % 4 * 8);
        }
        let host = Host::builder()
            .buffer::<kernels::Message>(0, 0, &[message])
            .buffer(0, 1, &[text.len() as u32])
            .buffer(0, 2, &[[0u32; 8]])
            .build();
        host.run(kernels::sha256);
        let digest = host.buffer_words(0, 2);
        digest
            .iter()
            .map(|word| format!("{word:08x}"))
            .collect::<String>()
    };
    let cases: [(&[u8], &str); 5] = [
        (
            b"",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ),
        (
            b"abc",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ),
        (
            b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ),
        (
            &[b'a'; 55],
            "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318",
        ),
        (
            &[b'a'; 64],
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb",
        ),
    ];
    for (text, digest) in cases {
        assert_eq!(hashed(text), digest, "{} bytes", text.len());
    }
}
