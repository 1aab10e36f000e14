//! All kernels have bitwise equal results natively, on the virtual machine and on the GPU interpreter, and these are
//! correct.

use std::fs::{self, OpenOptions};
use std::io::{Write, stderr};

use anywarp::wasm::{Engine, Module, Resources};
use anywarp_build::{BuildError, TARGET};
use gpu_sdk::host::Host;
use three_ways::{CASES, Case, Data, device, kernels, native, on_engine};

/// The kernels on both engines, with the engines' names; `None` if no compiler for wasm32 is installed.
fn modules() -> Option<[(&'static str, Module); 2]> {
    let module = match kernels() {
        Err(BuildError::NoTarget) => {
            report_skip();
            return None;
        }
        module => module.unwrap(),
    };
    let bytes = fs::read(module).unwrap();
    let (_, device, queue) = device().unwrap();
    let interpreter = pollster::block_on(Engine::gpu_interpreter(device, queue)).unwrap();
    let engines = [("the VM", Engine::vm()), ("the interpreter", interpreter)];
    Some(engines.map(|(name, engine)| (name, Module::new(&engine, &bytes).unwrap())))
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
    let Some(modules) = modules() else { return };
    for case in CASES.map(small) {
        let expected = native(&case);
        // If all words were zero, equality would prove nothing.
        let distinct: std::collections::BTreeSet<_> = expected.iter().collect();
        assert!(distinct.len() > 20, "{}", case.kernel);
        for (engine, module) in &modules {
            let found = on_engine(&case, module).unwrap();
            assert!(found == expected, "{} on {engine}", case.kernel);
        }
    }
}

/// Native derivatives are those of fragments, on the machines those of a workgroup's quads.
#[test]
fn derivatives_are_those_of_fragments() {
    const SIZE: u32 = 32;
    let Some(modules) = modules() else { return };
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
    let pixels = |module: &Module, size: [u32; 2]| {
        let mut data = Resources::new().picture(SIZE, SIZE);
        let kernel = module
            .kernel("rings")
            .unwrap()
            .workgroups([SIZE / size[0], SIZE / size[1], 1])
            .workgroup_size([size[0], size[1], 1]);
        kernel.run(&mut data).unwrap().ok().unwrap();
        data.picture.unwrap().pixels
    };
    for (engine, module) in &modules {
        for size in [[2, 2], [8, 4]] {
            assert!(pixels(module, size) == fragments, "{size:?} on {engine}");
        }
    }
    // Without quads derivatives are zero.
    let [(_, module), _] = &modules;
    let slopes = pixels(module, [1, 4]);
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
