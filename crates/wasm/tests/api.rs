//! Engines, modules and kernels, as embedders use them, on both engines.

use std::thread;

use anywarp_wasm::{
    Engine, InterpreterOptions, Kernel, LaunchError, MemoryMode, Module, Picture, Resources,
    ThreadEnd, TranslateError, TranslateOptions, TrapCode, Type, Value, VmOptions,
};

use super::engines;

/// Kernels for the tests, with three buffers.
const KERNELS: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (import "gpu" "buffer_load" (func $load (param i32 i32) (result i32)))
    (import "gpu" "buffer_store" (func $store (param i32 i32 i32)))
    (memory 1)
    (func (export "scale") (param $factor f32)
        (call $store (i32.const 0) (call $id) (i32.reinterpret_f32 (f32.mul
            (local.get $factor) (f32.reinterpret_i32 (call $load (i32.const 0) (call $id)))))))
    (func (export "copy")
        (call $store (i32.const 0x10002) (call $id) (call $load (i32.const 3) (call $id))))
    (func (export "choose") (param $binding i32)
        (call $store (local.get $binding) (call $id) (i32.const 7)))
    (func (export "types") (param i32 i64 f32 f64) (result f64 f32 i64 i32)
        (local.get 3) (local.get 2) (local.get 1) (local.get 0))
    (func (export "odd_threads_trap") (result i32)
        (if (i32.and (call $id) (i32.const 1)) (then unreachable))
        (call $id)))"#;

fn bytes() -> Vec<u8> {
    wat::parse_str(KERNELS).unwrap()
}

fn modules() -> [Module; 2] {
    engines::modules(&bytes(), &TranslateOptions::default()).unwrap()
}

/// A module on the virtual machine.
fn module() -> Module {
    Module::new(&Engine::vm(), &bytes()).unwrap()
}

#[test]
fn buffers_come_back_as_typed_elements() {
    for module in modules() {
        let mut data = Resources::new().buffer(0, 0, &[1.0f32, 2.0, 3.0, 4.0]);
        let kernel = module.kernel("scale").unwrap().args([0.5f32]).unwrap();
        let kernel = kernel.workgroups([2, 1, 1]).workgroup_size([2, 1, 1]);
        kernel.run(&mut data).unwrap().ok().unwrap();
        assert_eq!(data.read::<f32>(0, 0).unwrap(), [0.5, 1.0, 1.5, 2.0]);
        // A kernel runs any number of times.
        pollster::block_on(kernel.run_async(&mut data)).unwrap();
        assert_eq!(
            data.read::<[f32; 2]>(0, 0).unwrap(),
            [[0.25, 0.5], [0.75, 1.0]]
        );
    }
}

#[test]
fn values_of_every_type_pass_through() {
    for module in modules() {
        let kernel = module.kernel("types").unwrap();
        assert_eq!(
            kernel.params(),
            [Type::I32, Type::I64, Type::F32, Type::F64]
        );
        assert_eq!(
            kernel.results(),
            [Type::F64, Type::F32, Type::I64, Type::I32]
        );
        let args = [
            Value::from(-1),
            (1i64 << 40).into(),
            2.5f32.into(),
            0.1f64.into(),
        ];
        let outcome = kernel
            .args(args)
            .unwrap()
            .run(&mut Resources::new())
            .unwrap();
        let results = outcome.results(0).unwrap();
        assert_eq!(results[0].as_f64(), Some(0.1));
        assert_eq!(results[1].as_f32(), Some(2.5));
        assert_eq!(results[2].as_i64(), Some(1 << 40));
        assert_eq!(results[3].as_i32(), Some(-1));
        assert_eq!(outcome.results(1), None);
    }
}

#[test]
fn a_trap_is_an_error_that_names_the_thread() {
    for module in modules() {
        let kernel = module.kernel("odd_threads_trap").unwrap();
        let outcome = kernel.workgroup_size([6, 1, 1]).run(&mut Resources::new());
        let outcome = outcome.unwrap();
        assert_eq!(outcome.threads[4], ThreadEnd::Done(vec![4.into()]));
        let error = outcome.ok().unwrap_err();
        assert_eq!((error.thread, error.trapped), (1, 3));
        assert_eq!(error.trap.code, TrapCode::Unreachable);
        let text = error.to_string();
        let begin = "thread 1 trapped: unreachable in `odd_threads_trap` at 0x";
        assert!(text.starts_with(begin), "{text}");
        assert!(text.ends_with(", and 2 other threads too"), "{text}");
    }
}

/// A rejected launch, by what is asked of the module, and its message.
type Rejected = (fn(&Module) -> Result<(), LaunchError>, &'static str);

const REJECTED: &[Rejected] = &[
    (
        |module| module.kernel("scales").map(drop),
        "no kernel `scales`: the program exports `scale`, `copy`, `choose`, `types`, `odd_threads_trap`",
    ),
    (
        |module| module.kernel("scale")?.args([1.0f32, 2.0]).map(drop),
        "kernel `scale` takes 1 arguments, 2 are given",
    ),
    (
        |module| module.kernel("scale")?.args([1]).map(drop),
        "argument 0 of kernel `scale` has type f32, but i32 is given",
    ),
    (
        |module| {
            let args = [Value::from(1), Value::from(1), 1.0f32.into(), 1.0f64.into()];
            module.kernel("types")?.args(args).map(drop)
        },
        "argument 1 of kernel `types` has type i64, but i32 is given",
    ),
    (
        |module| run(&module.kernel("scale")?, Resources::new()),
        "kernel `scale` uses the buffer at group 0, binding 0, which is not bound: no buffer is bound",
    ),
    (
        |module| {
            let data = Resources::new().buffer(0, 0, &[0u32]);
            run(&module.kernel("scale")?, data)
        },
        "kernel `scale` takes 1 arguments, 0 are given",
    ),
    (
        |module| {
            let data = Resources::new().buffer(0, 3, &[0u32]);
            run(&module.kernel("copy")?, data)
        },
        "kernel `copy` uses the buffer at group 1, binding 2, which is not bound: only 0:3 is bound",
    ),
    (
        |module| {
            let data = Resources::new().buffer(0, 2, &[0u32]).buffer(1, 2, &[0u32]);
            run(&module.kernel("copy")?, data)
        },
        "kernel `copy` uses the buffer at group 0, binding 3, which is not bound: 0:2, 1:2 are bound",
    ),
    (
        |module| {
            run(
                &module.kernel("types")?.workgroup_size([0, 1, 1]),
                Resources::new(),
            )
        },
        "a workgroup of [0, 1, 1] threads: 1 to 65536 are supported",
    ),
    (
        |module| {
            let mut data = Resources::new();
            data.picture = Some(Picture {
                width: 2,
                height: 2,
                pixels: Vec::new(),
            });
            run(&module.kernel("odd_threads_trap")?, data)
        },
        "a picture of 2 by 2 pixels does not match 0 pixels of data",
    ),
    (
        |module| {
            let kernel = module.kernel("odd_threads_trap")?;
            run(
                &kernel.memory(MemoryMode::Shared { stack: 16 }),
                Resources::new(),
            )
        },
        "shared memory needs to know the program's stack pointer: export the global \
         `__stack_pointer` or keep the name section",
    ),
    (
        |module| {
            run(
                &module.kernel("odd_threads_trap")?.max_pages(0),
                Resources::new(),
            )
        },
        "memory 0 has 1 initial pages, but 0 are allowed; raise max_pages (--max-pages on the \
         command line) for larger memories",
    ),
];

fn run(kernel: &Kernel, mut data: Resources) -> Result<(), LaunchError> {
    kernel.run(&mut data).map(drop)
}

#[test]
fn errors_name_what_is_wrong_and_what_was_expected() {
    for module in modules() {
        for (launch, message) in REJECTED {
            let error = launch(&module).expect_err(message);
            assert_eq!(error.to_string(), *message);
        }
    }
}

#[test]
fn bindings_that_are_chosen_at_run_time_are_not_checked() {
    let module = module();
    let bindings = |name| {
        let kernel = module.kernel(name).unwrap();
        kernel.bindings().map(Iterator::collect::<Vec<_>>)
    };
    assert_eq!(bindings("copy"), Some(vec![(0, 3), (1, 2)]));
    assert_eq!(bindings("types"), Some(vec![]));
    assert_eq!(bindings("choose"), None);
    let kernel = module.kernel("choose").unwrap().args([5]).unwrap();
    let mut data = Resources::new().buffer(0, 5, &[0u32]);
    kernel.run(&mut data).unwrap().ok().unwrap();
    assert_eq!(data.read::<u32>(0, 5).unwrap(), [7]);
    kernel.run(&mut Resources::new()).unwrap().ok().unwrap();
}

#[test]
fn an_invalid_module_is_an_error_with_its_offset() {
    for engine in engines::both() {
        let error = Module::new(&engine, b"\0asm\x02\0\0\0").unwrap_err();
        assert!(
            matches!(error, TranslateError::Invalid { offset: 4, .. }),
            "{error}"
        );
    }
    let recursive = wat::parse_str("(module (func (export \"f\") (call 0)))").unwrap();
    let error = Module::new(&Engine::vm(), &recursive).unwrap_err();
    assert!(matches!(error, TranslateError::Recursion { .. }), "{error}");
    let options = TranslateOptions::default().allow_recursion(true);
    let module = Module::with_options(&Engine::vm(), &recursive, &options).unwrap();
    let outcome = module.kernel("f").unwrap().run(&mut Resources::new());
    let error = outcome.unwrap().ok().unwrap_err();
    assert_eq!(error.trap.code, TrapCode::StackExhausted);
}

#[test]
fn limits_of_an_engine_and_of_a_launch_apply() {
    let limit = std::time::Duration::from_millis(50);
    let endless = wat::parse_str("(module (func (export \"f\") (loop (br 0))))").unwrap();
    let engine = Engine::vm_with(VmOptions::default().watchdog(limit));
    let kernel = Module::new(&engine, &endless).unwrap().kernel("f").unwrap();
    let error = kernel.run(&mut Resources::new()).unwrap_err();
    assert!(
        matches!(error, LaunchError::Watchdog { thread: 0, .. }),
        "{error}"
    );
    let outcome = kernel.fuel(1000).run(&mut Resources::new()).unwrap();
    let error = outcome.ok().unwrap_err();
    assert_eq!(error.trap.code, TrapCode::FuelExhausted);
}

/// One module per engine serves any number of threads.
#[test]
fn clones_of_a_module_run_at_the_same_time() {
    for module in modules() {
        thread::scope(|scope| {
            for number in 1..=4u8 {
                let module = module.clone();
                scope.spawn(move || {
                    let factor = f32::from(number);
                    let mut data = Resources::new().buffer(0, 0, &[1.0f32; 8]);
                    let kernel = module.kernel("scale").unwrap().args([factor]).unwrap();
                    kernel
                        .workgroup_size([8, 1, 1])
                        .run(&mut data)
                        .unwrap()
                        .ok()
                        .unwrap();
                    assert_eq!(data.read::<f32>(0, 0).unwrap(), [factor; 8]);
                });
            }
        });
    }
}

/// Several modules of one engine do not disturb each other.
#[test]
fn modules_of_one_engine_keep_their_programs() {
    for engine in engines::both() {
        let constant = |number: i32| {
            let text = format!("(module (func (export \"f\") (result i32) (i32.const {number})))");
            Module::new(&engine, &wat::parse_str(text).unwrap()).unwrap()
        };
        let modules = [constant(1), constant(2), constant(3)];
        for number in [2, 1, 3] {
            let kernel = modules[number as usize - 1].kernel("f").unwrap();
            let outcome = kernel.run(&mut Resources::new()).unwrap();
            assert_eq!(outcome.results(0), Some(&[number.into()][..]));
        }
    }
}

#[test]
fn handles_are_send_and_sync() {
    fn check<T: Clone + Send + Sync + std::fmt::Debug + 'static>() {}
    check::<Engine>();
    check::<Module>();
    check::<Kernel>();
    check::<Resources>();
    check::<LaunchError>();
    check::<TranslateError>();
    check::<InterpreterOptions>();
    check::<anywarp_wasm::LaunchOutcome>();
    check::<anywarp_wasm::ReadError>();
    check::<anywarp_wasm::TrapError>();
    check::<Value>();
    check::<VmOptions>();
    check::<anywarp_wasm::Warning>();
    let shown = format!("{:?}", module());
    assert!(shown.starts_with("Module { kernels: [\"scale\""), "{shown}");
}
