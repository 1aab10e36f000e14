//! Converts the command's options to a launch and its resources.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use anywarp_wasm::bytecode::Instruction;
use anywarp_wasm::bytecode::{
    Bytecode, Export, FunctionType, KernelBindings, Op, ProgramBindings, Type, escape,
};
use anywarp_wasm::runtime::{
    DEFAULT_MAX_PAGES, DEFAULT_MAX_TOTAL_PAGES, Launch, MemoryMode, Picture, Resources, Value,
};

use super::grid::{all, grid};
use crate::cli::RunArgs;
use crate::error::{Error, listing};
use crate::specs::{Contents, Destination, Given, PixelsFile, Slot, Target};

/// Pages that a memory may grow by, if the program grows its memory.
const GROWTH: u32 = 16;
/// Slots of a thread's stack: few without recursion, many with it.
const STACK_SLOTS: u32 = 4 << 10;
const RECURSIVE_STACK_SLOTS: u32 = 16 << 10;
/// The size of a page.
const PAGE: u64 = 64 << 10;
/// The largest buffer of a kernel.
const BUFFER_LIMIT: u64 = 2 << 30;

/// The kernel that the command selects.
pub(super) fn kernel<'a>(
    program: &'a Bytecode,
    file: &str,
    wanted: Option<&str>,
) -> Result<&'a Export, Error> {
    let exports = &program.exports;
    let available = || {
        listing(
            exports
                .iter()
                .map(|export| format!("`{}`", escape(&export.name))),
        )
    };
    match (wanted, exports.as_slice()) {
        (_, []) => Err(Error::NoEntryPoint {
            file: file.to_owned(),
        }),
        (None, [only]) => Ok(only),
        (None, _) => Err(Error::AmbiguousEntryPoint {
            file: file.to_owned(),
            kind: "",
            available: available(),
        }),
        (Some(name), _) => {
            let found = exports.iter().find(|export| export.name == name);
            found.ok_or_else(|| Error::UnknownEntryPoint {
                file: file.to_owned(),
                name: name.to_owned(),
                available: available(),
            })
        }
    }
}

/// The type of an exported kernel.
pub(super) fn signature<'a>(program: &'a Bytecode, export: &Export) -> &'a FunctionType {
    let function = &program.functions[export.function as usize];
    &program.types[function.type_index as usize]
}

/// The launch that the options describe.
pub(super) fn launch(args: &RunArgs, program: &Bytecode, export: &Export) -> Result<Launch, Error> {
    let kernel = &args.kernel;
    let given = kernel.args.as_deref().unwrap_or_default();
    let (workgroups, workgroup_size, threads) = grid(args)?;
    let stack_slots = kernel.stack.unwrap_or(if kernel.allow_recursion {
        RECURSIVE_STACK_SLOTS
    } else {
        STACK_SLOTS
    });
    Ok(Launch {
        kernel: export.name.clone(),
        args: arguments(given, &signature(program, export).params, &export.name)?,
        workgroups,
        workgroup_size,
        threads,
        memory: match kernel.shared_memory {
            Some(stack) => MemoryMode::Shared { stack },
            None => MemoryMode::Private,
        },
        max_pages: kernel.max_pages.unwrap_or_else(|| {
            let stacks = kernel.shared_memory.map_or(0, |stack| {
                let threads = threads.map_or_else(|| all(workgroups, workgroup_size), u64::from);
                threads.saturating_mul(stack.into()).div_ceil(PAGE)
            });
            let pages = pages(program).min(DEFAULT_MAX_PAGES);
            pages.saturating_add(u32::try_from(stacks).unwrap_or(u32::MAX))
        }),
        max_total_pages: kernel.max_total_pages.unwrap_or(DEFAULT_MAX_TOTAL_PAGES),
        stack_slots,
        fuel: kernel.fuel,
    })
}

/// The initial number of pages, and some more if the program can grow its memory.
fn pages(program: &Bytecode) -> u32 {
    let initial = program.memories.iter().map(|memory| memory.initial).max();
    let initial = initial.unwrap_or(0);
    let mut at = 0;
    while let Ok(instruction) = Instruction::read(&program.code, at) {
        if instruction.op == Op::MemoryGrow {
            return initial.saturating_add(GROWTH);
        }
        at += instruction.words();
    }
    initial
}

/// Parses `--args` as values of the kernel's parameter types.
fn arguments(given: &[String], types: &[Type], kernel: &str) -> Result<Vec<Value>, Error> {
    let wrong = |reason| Error::Argument {
        option: "--args",
        reason,
    };
    if given.len() != types.len() {
        let (takes, has) = (types.len(), given.len());
        let kernel = escape(kernel);
        let takes = match takes {
            1 => "1 argument".to_owned(),
            takes => format!("{takes} arguments"),
        };
        let given = match has {
            1 => "1 is given".to_owned(),
            has => format!("{has} are given"),
        };
        let reason = format!("kernel `{kernel}` takes {takes}, {given}");
        return Err(wrong(reason));
    }
    let values = given.iter().zip(types).map(|(text, &ty)| {
        let bits = bits(text.trim(), ty);
        bits.map(|bits| Value::from_bits(ty, bits))
            .ok_or_else(|| wrong(format!("`{text}` is not of type {ty}")))
    });
    values.collect()
}

/// The bits of a number. Integers may be signed, unsigned or hexadecimal.
fn bits(text: &str, ty: Type) -> Option<u64> {
    let (sign, size) = match text.strip_prefix('-') {
        Some(size) => (-1, size),
        None => (1, text),
    };
    let integer = || {
        let (digits, radix) = match size.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None => (size, 10),
        };
        // `from_str_radix` would accept a second sign.
        let is_number = digits.starts_with(|c: char| c.is_ascii_hexdigit());
        let size = i128::from_str_radix(digits, radix).ok();
        size.filter(|_| is_number).map(|size| sign * size)
    };
    let within = |least: i128, most: i128| integer().filter(|n| (least..=most).contains(n));
    match ty {
        Type::I32 => within(i32::MIN.into(), u32::MAX.into()).map(|n| u64::from(n as u32)),
        Type::I64 => within(i64::MIN.into(), u64::MAX.into()).map(|n| n as u64),
        Type::F32 => text.parse::<f32>().ok().map(|n| u64::from(n.to_bits())),
        Type::F64 => text.parse::<f64>().ok().map(f64::to_bits),
        Type::FuncRef | Type::ExternRef => (text == "null").then_some(0),
    }
}

/// Checks that the kernel uses every binding that the command names, if its bindings are known.
pub(super) fn check_bindings(
    args: &RunArgs,
    program: &Bytecode,
    export: &Export,
) -> Result<(), Error> {
    let binds = args.bind.iter().map(|bind| ("--bind", &bind.target));
    let outs = args.out.iter().map(|out| ("--out", &out.target));
    let given: Vec<_> = binds.chain(outs).collect();
    if given.is_empty() {
        return Ok(());
    }
    let bindings = ProgramBindings::new(program).of(export);
    if bindings.is_open {
        log::info!("the kernel chooses bindings at run time: --bind and --out are not checked");
    }
    for (option, target) in given {
        if bindings.lacks(place(target, option)?) {
            return Err(Error::UnknownBinding {
                option,
                target: target.clone(),
                problem: "no such binding",
                entry: escape(&export.name).into_owned(),
                available: listing(slots(&bindings)),
            });
        }
    }
    Ok(())
}

/// The bindings of a kernel as slots.
pub(super) fn slots(bindings: &KernelBindings) -> impl Iterator<Item = Slot> {
    bindings.named.iter().map(|&(group, binding)| Slot {
        group: group.into(),
        binding: binding.into(),
    })
}

/// The initial resources of the kernel.
pub(super) fn resources(args: &RunArgs) -> Result<Resources, Error> {
    let kernel = &args.kernel;
    let optional = |contents: &Option<Contents>, option| {
        contents
            .as_ref()
            .map_or(Ok(Vec::new()), |contents| words(contents, option))
    };
    let mut buffers = BTreeMap::new();
    for bind in &args.bind {
        let place = place(&bind.target, "--bind")?;
        let Given::Data(contents) = &bind.given else {
            let reason = format!("{bind} is for shaders; kernels in WebAssembly have no textures");
            return Err(Error::Argument {
                option: "--bind",
                reason,
            });
        };
        let given = words(contents, "--bind")?;
        if buffers.insert(place, given).is_some() {
            return Err(Error::BoundTwice(bind.target.clone()));
        }
    }
    for out in &args.out {
        // A buffer that is only written has the size that its output needs.
        let element = super::run::element_type(args, out);
        let bytes = out.destination.bytes(element).unwrap_or(0);
        let bytes = bytes.checked_next_multiple_of(4).unwrap_or(u64::MAX);
        if let Destination::Png(picture) = &out.destination
            && picture.of_buffer().is_none()
        {
            return Err(Error::BufferPicture {
                target: out.target.clone(),
                wanted: out.destination.to_string(),
            });
        }
        let zeros = Contents::Zeros { bytes: Some(bytes) };
        let place = place(&out.target, "--out")?;
        if let Entry::Vacant(entry) = buffers.entry(place) {
            entry.insert(words(&zeros, "--out")?);
        }
    }
    if let Some(folder) = kernel.allow_dir.iter().find(|folder| !folder.is_dir()) {
        return Err(Error::Argument {
            option: "--allow-dir",
            reason: format!("{} is not a folder", folder.display()),
        });
    }
    Ok(Resources {
        state: optional(&kernel.state, "--state")?,
        input: optional(&kernel.input, "--input")?,
        clock: kernel.clock.unwrap_or(0.0),
        picture: kernel.pixels.as_ref().map(picture),
        buffers,
        folders: kernel.allow_dir.clone(),
        queue: optional(&kernel.queue, "--queue")?,
    })
}

fn picture(file: &PixelsFile) -> Picture {
    let pixels = file.width as usize * file.height as usize;
    Picture {
        width: file.width,
        height: file.height,
        pixels: vec![[0.0; 4]; pixels],
    }
}

/// A binding as kernels encode it.
pub(super) fn place(target: &Target, option: &'static str) -> Result<(u16, u16), Error> {
    let Target::Slot(slot) = target else {
        let reason =
            format!("`{target}`: kernels' buffers have no names; give group and binding as 0:1");
        return Err(Error::Argument { option, reason });
    };
    let place = u16::try_from(slot.group)
        .ok()
        .zip(u16::try_from(slot.binding).ok());
    place.ok_or_else(|| Error::Argument {
        option,
        reason: format!("{slot} is beyond 65535:65535"),
    })
}

/// The words of an option's data.
fn words(contents: &Contents, option: &'static str) -> Result<Vec<u32>, Error> {
    let wrong = |reason| Error::Argument { option, reason };
    let bytes =
        crate::run::contents_bytes(contents, BUFFER_LIMIT).map_err(|error| match error {
            error @ (Error::Read { .. } | Error::FileTooLarge { .. }) => error,
            other => wrong(other.to_string()),
        })?;
    let (chunks, rest) = bytes.as_chunks();
    match rest {
        [] => Ok(chunks
            .iter()
            .map(|word| u32::from_le_bytes(*word))
            .collect()),
        _ => Err(wrong(format!(
            "{} bytes are not a multiple of 4",
            bytes.len()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_by_their_type() {
        assert_eq!(bits("-1", Type::I32), Some(0xffff_ffff));
        assert_eq!(bits("4294967295", Type::I32), Some(0xffff_ffff));
        assert_eq!(bits("0x10", Type::I64), Some(16));
        assert_eq!(bits("-1", Type::I64), Some(u64::MAX));
        assert_eq!(bits("4294967296", Type::I32), None);
        assert_eq!(bits("-0x10", Type::I32), Some(0xffff_fff0));
        assert_eq!(bits("-0x80000000", Type::I32), Some(0x8000_0000));
        for wrong in ["0x-1", "0x+1", "--1", "-+1", "+1", "0x", "-", "", "0x1_0"] {
            assert_eq!(bits(wrong, Type::I32), None, "{wrong}");
        }
        assert_eq!(bits("1.5", Type::I32), None);
        assert_eq!(bits("1.5", Type::F32), Some(0x3fc0_0000));
        assert_eq!(bits("-0", Type::F64), Some(1 << 63));
        assert_eq!(bits("null", Type::FuncRef), Some(0));
        assert_eq!(bits("1", Type::FuncRef), None);
    }
}
