//! Small modules with a large expansion: the program is bounded in proportion to the module's size,
//! or the module is rejected.
//!
//! Sizes are counted, not timed, so the tests are deterministic.

use anywarp_wasm::{TranslateError, TranslateOptions, Translation, translate};
use wasm_encoder::{
    BlockType, CodeSection, ExportKind, ExportSection, Function, FunctionSection, MemorySection,
    MemoryType, Module, NameMap, NameSection, TypeSection, ValType,
};

/// Values of a branch.
const CARRIED: usize = 200;

/// Maximum code words for each byte of a module, and for a module of any size.
const WORDS_PER_BYTE: usize = 16;
const MIN_WORDS: usize = 1 << 16;

/// Builds a module of functions; the first one is exported.
struct Builder {
    types: TypeSection,
    functions: FunctionSection,
    code: CodeSection,
    names: NameMap,
}

impl Builder {
    fn new() -> Self {
        Self {
            types: TypeSection::new(),
            functions: FunctionSection::new(),
            code: CodeSection::new(),
            names: NameMap::new(),
        }
    }

    /// A function type with that many integer parameters and results.
    fn ty(&mut self, params: usize, results: usize) -> u32 {
        let integers = |count| std::iter::repeat_n(ValType::I32, count);
        let types = &mut self.types;
        types.ty().function(integers(params), integers(results));
        types.len() - 1
    }

    fn function(
        &mut self,
        ty: u32,
        locals: u32,
        body: impl FnOnce(&mut wasm_encoder::InstructionSink<'_>),
    ) {
        self.functions.function(ty);
        let mut function = Function::new([(locals, ValType::I32)]);
        body(&mut function.instructions());
        function.instructions().end();
        self.code.function(&function);
    }

    fn finish(self) -> Vec<u8> {
        let mut memories = MemorySection::new();
        memories.memory(MemoryType {
            minimum: 1,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let mut exports = ExportSection::new();
        exports.export("main", ExportKind::Func, 0);
        let mut names = NameSection::new();
        names.functions(&self.names);
        let mut module = Module::new();
        module
            .section(&self.types)
            .section(&self.functions)
            .section(&memories)
            .section(&exports)
            .section(&self.code)
            .section(&names);
        module.finish()
    }
}

fn translated(bytes: &[u8]) -> Result<Translation, TranslateError> {
    let options = TranslateOptions::default().allow_recursion(true);
    translate(bytes, &options)
}

/// Translates a module, and checks that the program is not much larger than the module.
fn small(bytes: &[u8]) -> Translation {
    let translation = translated(bytes).expect("a module");
    let words = translation.bytecode.code.len();
    let max = bytes.len() * WORDS_PER_BYTE + MIN_WORDS;
    assert!(words <= max, "{words} words of {} bytes", bytes.len());
    translation
}

fn refused(bytes: &[u8]) {
    let text = translated(bytes).expect_err("too large").to_string();
    let expected = format!(
        "function `main` and the functions before it need more than {} instructions, too many for a module of this size",
        (1 << 20) + 32 * bytes.len()
    );
    assert_eq!(text, expected);
}

#[test]
fn a_long_branch_table_is_not_inlined_at_every_call() {
    let mut b = Builder::new();
    let (none, one) = (b.ty(0, 0), b.ty(1, 0));
    b.function(none, 0, |f| {
        for _ in 0..5_000 {
            f.i32_const(0).call(1);
        }
    });
    b.function(one, 0, |f| {
        f.local_get(0).br_table(vec![0; 20_000], 0);
    });
    small(&b.finish());
}

#[test]
fn calls_with_many_arguments_are_not_inlined_at_every_call() {
    let mut b = Builder::new();
    let (none, many) = (b.ty(0, 0), b.ty(CARRIED, 0));
    b.function(none, 0, |f| {
        for _ in 0..5_000 {
            f.call(1);
        }
    });
    b.function(none, 0, |f| {
        for _ in 0..4 {
            for _ in 0..CARRIED {
                f.i32_const(1);
            }
            f.call(2);
        }
    });
    // It is recursive, so the calls are not inlined.
    b.function(many, 0, |f| {
        for local in 0..CARRIED {
            f.local_get(local as u32);
        }
        f.call(2);
    });
    small(&b.finish());
}

#[test]
fn calls_that_double_are_not_all_inlined() {
    let mut b = Builder::new();
    let ty = b.ty(1, 1);
    for level in 1..40 {
        b.function(ty, 0, |f| {
            f.local_get(0).call(level).call(level);
        });
    }
    b.function(ty, 0, |f| {
        f.local_get(0).i32_const(7).i32_mul().i32_const(3).i32_add();
    });
    small(&b.finish());
}

#[test]
fn branches_that_carry_many_values_are_refused() {
    let mut b = Builder::new();
    let (none, transfer) = (b.ty(0, 0), b.ty(0, CARRIED));
    b.function(none, 0, |f| {
        let block = BlockType::FunctionType(transfer);
        // One value below the others: each branch moves all of them by one slot.
        f.block(block).i32_const(5).block(block);
        for _ in 0..CARRIED {
            f.i32_const(1);
        }
        for _ in 0..15_000 {
            f.i32_const(1).br_if(1);
        }
        f.end().unreachable().end();
        for _ in 0..CARRIED {
            f.drop();
        }
    });
    refused(&b.finish());
}

#[test]
fn many_local_variables_are_refused() {
    let mut b = Builder::new();
    let none = b.ty(0, 0);
    b.function(none, 0, |_| {});
    for _ in 0..6_000 {
        b.function(none, 50_000, |_| {});
    }
    let bytes = b.finish();
    let text = translated(&bytes).expect_err("too large").to_string();
    assert!(
        text.contains("too many for a module of this size"),
        "{text}"
    );
    // A few large functions are usual.
    let mut b = Builder::new();
    let none = b.ty(0, 0);
    for _ in 0..20 {
        b.function(none, 10_000, |_| {});
    }
    small(&b.finish());
}

#[test]
fn warnings_do_not_repeat_long_names() {
    let mut b = Builder::new();
    let none = b.ty(0, 0);
    let callers = 2_000;
    b.names.append(1, &"n".repeat(30_000));
    b.function(none, 0, |f| {
        for caller in 0..callers {
            f.call(2 + caller);
        }
    });
    b.function(none, 0, |f| {
        for at in 0..40 {
            f.i32_const(at).memory_grow(0).drop();
        }
    });
    for _ in 0..callers {
        b.function(none, 0, |f| {
            f.call(1);
        });
    }
    let translation = small(&b.finish());
    let warnings = translation
        .warnings
        .iter()
        .map(|warning| warning.to_string().len());
    assert!(
        translation.warnings.len() > 1_000,
        "{}",
        translation.warnings.len()
    );
    assert!(warnings.sum::<usize>() < 4 << 20);
}
