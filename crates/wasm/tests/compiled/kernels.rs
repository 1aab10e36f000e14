//! The example kernels, and small modules with each kind of memory and trap.

use anywarp_wasm::{Engine, Kernel, LaunchOutcome, Module, Resources};

use super::engine;

/// The outcome and the resources of a launch on both tiers.
fn both(
    bytes: &[u8],
    kernel: impl Fn(&Module) -> Kernel,
    data: &Resources,
) -> [(LaunchOutcome, Resources); 2] {
    [Engine::vm(), engine()].map(|engine| {
        let module = Module::new(&engine, bytes).expect("a module");
        let mut data = data.clone();
        let outcome = kernel(&module).run(&mut data);
        (outcome.unwrap_or_else(|error| panic!("{error}")), data)
    })
}

/// Checks that both tiers give the same words, pixels and ends of threads.
fn is_equal(bytes: &[u8], kernel: impl Fn(&Module) -> Kernel, data: &Resources) -> LaunchOutcome {
    let [(expected, expected_data), (found, found_data)] = both(bytes, kernel, data);
    assert_eq!(expected.threads, found.threads);
    assert_eq!(expected_data.buffers, found_data.buffers);
    assert_eq!(expected_data.state, found_data.state);
    let bits = |data: &Resources| {
        let picture = data.picture.as_ref()?;
        Some(
            picture
                .pixels
                .iter()
                .flatten()
                .map(|part| part.to_bits())
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(bits(&expected_data), bits(&found_data));
    found
}

const KERNELS: &[u8] = include_bytes!("../fixtures/kernels.wasm");

#[test]
fn pictures_of_the_example_kernels() {
    let data = Resources::new().picture(96, 64).clock(1.5);
    for (name, args) in [
        ("gradient", vec![96_i32, 64]),
        ("mandelbrot", vec![96, 64, 50]),
        ("ray_tracer", vec![96, 64]),
    ] {
        let kernel = |module: &Module| {
            let kernel = module.kernel(name).expect("a kernel");
            let kernel = kernel.args(args.clone()).expect("arguments");
            kernel.workgroups([96, 1, 1]).workgroup_size([64, 1, 1])
        };
        is_equal(KERNELS, kernel, &data);
    }
}

#[test]
fn buffers_of_the_example_kernels() {
    let random = |seed: u32| (0..).map(move |i: u32| (i ^ seed).wrapping_mul(0x9e37_79b9) >> 3);
    let words = |seed: u32, count: usize| random(seed).take(count).collect::<Vec<u32>>();
    let data = Resources::new()
        .buffer(0, 0, &words(1, 64 * 16))
        .buffer(
            0,
            1,
            &words(2, 64)
                .iter()
                .map(|word| word % 64)
                .collect::<Vec<_>>(),
        )
        .buffer(0, 2, &words(3, 64 * 8));
    let sha256 = |module: &Module| {
        let kernel = module.kernel("sha256").expect("a kernel");
        kernel.workgroups([4, 1, 1]).workgroup_size([16, 1, 1])
    };
    is_equal(KERNELS, sha256, &data);
    let sort = |module: &Module| {
        let kernel = module.kernel("sort").expect("a kernel");
        kernel.workgroups([8, 1, 1]).workgroup_size([64, 1, 1])
    };
    is_equal(
        KERNELS,
        sort,
        &Resources::new().buffer(0, 0, &words(4, 8 * 128)),
    );
}

#[test]
fn results_and_traps() {
    let bytes = wat::parse_str(
        r#"(module
            (import "gpu" "get_thread_id" (func $id (result i32)))
            (func (export "divide") (param i32) (result i32 i64 f32 f64)
                (i32.div_s (local.get 0) (i32.sub (call $id) (i32.const 3)))
                (i64.mul (i64.extend_i32_s (call $id)) (i64.const 0x123456789a))
                (f32.sqrt (f32.convert_i32_u (call $id)))
                (f64.div (f64.convert_i32_s (local.get 0)) (f64.convert_i32_u (call $id)))))"#,
    )
    .expect("a module");
    let kernel = |module: &Module| {
        let kernel = module.kernel("divide").expect("a kernel");
        kernel
            .args([100_i32])
            .expect("arguments")
            .workgroups([40, 1, 1])
    };
    let outcome = is_equal(&bytes, kernel, &Resources::new());
    assert!(outcome.results(3).is_none(), "{:?}", outcome.threads[3]);
    assert_eq!(outcome.results(4).map(<[_]>::len), Some(4));
}
