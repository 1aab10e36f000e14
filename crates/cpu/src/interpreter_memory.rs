//! An upper bound on the frame memory of the interpreter: the registers of the invocations of a workgroup.
//!
//! In: a program and a compute entry point. Out: bytes that one thread takes to interpret it. The bound follows the
//! interpreter's allocation: each variable, argument and value of a function has registers of its own; the frame of a
//! function begins above the frames of its callees; and each invocation of a workgroup has its own registers if any of
//! them can wait at a barrier, else invocations share one set. The bound counts registers that the interpreter may
//! omit, so it is larger than the memory taken, never smaller. It is one pass over the program, without recursion into
//! types or calls.

use anywarp_program::naga::{
    AddressSpace, ArraySize, Block, Expression, Function, Handle, Module, Scalar, Statement, Type,
    TypeInner, proc::TypeResolution, valid::FunctionInfo,
};
use anywarp_program::{Program, walk};

/// Fixed registers: a zero and the builtin values, rounded up.
const FIXED_WORDS: u64 = 64;
/// Registers of one expression besides its value, rounded up.
const TEMPORARY_WORDS: u64 = 4;
/// Registers of one statement: counters of loops, links of calls, and results; rounded up.
const STATEMENT_WORDS: u64 = 4;

/// Words of the types of a module, by handle.
struct TypeWords<'m> {
    module: &'m Module,
    words: Vec<u64>,
}

impl<'m> TypeWords<'m> {
    fn of(module: &'m Module) -> Self {
        let mut all = Self {
            module,
            words: Vec::with_capacity(module.types.len()),
        };
        // A type comes after those that it is made of.
        for (_, ty) in module.types.iter() {
            let words = all.inner(&ty.inner);
            all.words.push(words);
        }
        all
    }

    fn handle(&self, handle: Handle<Type>) -> u64 {
        self.words.get(handle.index()).copied().unwrap_or(1)
    }

    fn inner(&self, inner: &TypeInner) -> u64 {
        let words = |scalar: Scalar| u64::from(scalar.width).div_ceil(4);
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => words(scalar),
            TypeInner::Vector { size, scalar } => size as u64 * words(scalar),
            TypeInner::Matrix {
                columns,
                rows,
                scalar,
            } => columns as u64 * rows as u64 * words(scalar),
            TypeInner::Array {
                base,
                size: ArraySize::Constant(count),
                ..
            } => self.handle(base).saturating_mul(u64::from(count.get())),
            TypeInner::Struct { ref members, .. } => members
                .iter()
                .map(|member| self.handle(member.ty))
                .fold(0, u64::saturating_add),
            _ => 1,
        }
    }

    fn resolved(&self, resolution: &TypeResolution) -> u64 {
        match resolution {
            TypeResolution::Handle(handle) => self.handle(*handle),
            TypeResolution::Value(_) => self.inner(resolution.inner_with(&self.module.types)),
        }
    }
}

/// The frame of a function with those of its callees.
#[derive(Clone, Copy, Default)]
struct FrameSize {
    words: u64,
    /// Whether an invocation can wait at a barrier or subgroup operation in it.
    waits: bool,
}

impl FrameSize {
    fn of(types: &TypeWords<'_>, function: &Function, info: &FunctionInfo, known: &[Self]) -> Self {
        let callees = Self::of_statements(&function.body, known);
        let statements = walk::statements(&function.body).count() as u64;
        let arguments = function.arguments.iter().map(|argument| argument.ty);
        let results = function.result.iter().map(|result| result.ty);
        let locals = function.local_variables.iter().map(|(_, local)| local.ty);
        let variables = arguments
            .chain(results)
            .chain(locals)
            .map(|ty| types.handle(ty));
        let values = function.expressions.iter().map(|(handle, expression)| {
            // Constants have registers that all functions share.
            let is_constant = matches!(
                expression,
                Expression::Literal(_) | Expression::Constant(_) | Expression::ZeroValue(_)
            );
            let value = if is_constant {
                0
            } else {
                types.resolved(&info[handle].ty)
            };
            value.saturating_add(TEMPORARY_WORDS)
        });
        let own = statements.saturating_mul(STATEMENT_WORDS);
        Self {
            words: variables
                .chain(values)
                .fold(own, u64::saturating_add)
                .saturating_add(callees.words),
            waits: callees.waits,
        }
    }

    /// The largest frame of a callee, and whether an invocation can wait in these statements.
    fn of_statements(body: &Block, known: &[Self]) -> Self {
        let mut callees = Self::default();
        for statement in walk::statements(body) {
            match statement {
                Statement::Call { function, .. } => {
                    let callee = known.get(function.index()).copied().unwrap_or_default();
                    callees.words = callees.words.max(callee.words);
                    callees.waits |= callee.waits;
                }
                Statement::ControlBarrier(_)
                | Statement::WorkGroupUniformLoad { .. }
                | Statement::SubgroupBallot { .. }
                | Statement::SubgroupGather { .. }
                | Statement::SubgroupCollectiveOperation { .. } => callees.waits = true,
                _ => {}
            }
        }
        callees
    }
}

/// The upper bound in bytes for one thread to interpret a workgroup of an entry point, workgroup memory excluded; zero
/// if there is no such entry point.
pub(crate) fn interpreter_bytes(program: &Program, entry_point: &str) -> u64 {
    let (module, info) = (program.module(), program.info());
    let mut points = module.entry_points.iter();
    let Some(index) = points.position(|point| point.name == entry_point) else {
        return 0;
    };
    let entry = &module.entry_points[index];
    let types = TypeWords::of(module);
    let mut frames = Vec::with_capacity(module.functions.len());
    // A function comes after its callees.
    for (handle, function) in module.functions.iter() {
        frames.push(FrameSize::of(&types, function, &info[handle], &frames));
    }
    let uses = info.get_entry_point(index);
    let frame = FrameSize::of(&types, &entry.function, uses, &frames);
    let privates = module
        .global_variables
        .iter()
        .filter(|(handle, variable)| {
            variable.space == AddressSpace::Private && !uses[*handle].is_empty()
        })
        .map(|(_, variable)| types.handle(variable.ty));
    let constants = module
        .global_expressions
        .iter()
        .map(|(handle, _)| types.resolved(&info[handle]));
    let zeros = module
        .functions
        .iter()
        .map(|(_, function)| function)
        .chain([&entry.function])
        .flat_map(|function| function.expressions.iter())
        .filter_map(|(_, expression)| match expression {
            Expression::ZeroValue(ty) => Some(types.handle(*ty)),
            _ => None,
        });
    let words = privates
        .chain(constants)
        .chain(zeros.max())
        .fold(FIXED_WORDS + frame.words, u64::saturating_add);
    let invocations = entry.workgroup_size.iter().map(|&size| u64::from(size));
    let files = if frame.waits {
        invocations.fold(1, u64::saturating_mul)
    } else {
        1
    };
    words.saturating_mul(files).saturating_mul(4)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use anywarp_interpret::Kernel;
    use anywarp_program::Program;

    use super::interpreter_bytes;

    /// Bytes that the interpreter takes, parsed from the `Debug` output of a kernel, as its fields are private.
    fn taken(kernel: &Kernel) -> u64 {
        let text = format!("{kernel:?}");
        let field = |name: &str| {
            let (_, rest) = text.rsplit_once(name).expect("the field");
            let end = rest.find([',', ' ', '}']).unwrap_or(rest.len());
            rest[..end].to_owned()
        };
        let registers: u64 = field(" registers: ").parse().expect("a number");
        let files = match field(" waits: ").as_str() {
            "true" => kernel.workgroup_size().iter().product(),
            _ => 1,
        };
        registers * u64::from(files) * 4
    }

    /// Compares the bound with the memory taken; returns whether there was an entry point that is interpreted.
    fn check(name: &str, text: &str) -> bool {
        let Ok(program) = Program::from_wgsl(text) else {
            return false;
        };
        let mut is_any = false;
        for point in &program.module().entry_points {
            let Ok(kernel) = Kernel::new(&program, &point.name) else {
                continue;
            };
            let (taken, bound) = (taken(&kernel), interpreter_bytes(&program, &point.name));
            assert!(
                taken <= bound,
                "{name}: {taken} bytes, the bound is {bound}"
            );
            is_any = true;
        }
        is_any
    }

    #[test]
    fn the_bound_is_close_for_large_variables() {
        let text = |body: &str| {
            format!(
                "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
                 var<private> p: array<vec3<u32>, 1000>;
                 fn f(i: u32) -> u32 {{ var v: array<u32, 3000>; v[i] = i; return v[o[i]] + p[i].x; }}
                 @compute @workgroup_size(8, 4) fn main(@builtin(local_invocation_index) i: u32) {{
                     p[o[i]] = vec3(i); {body} o[i] = f(i) + f(i + 1u);
                 }}"
            )
        };
        for (body, files) in [("", 1), ("workgroupBarrier();", 32)] {
            let text = text(body);
            assert!(check("variables", &text));
            let bytes = interpreter_bytes(&Program::from_wgsl(&text).unwrap(), "main");
            let variables = 6000 * 4 * files;
            assert!((variables..variables * 11 / 10).contains(&bytes), "{bytes}");
        }
    }

    /// All conformance programs that need no values of constants, where the repository is there.
    #[test]
    fn the_interpreter_takes_no_more_than_the_bound() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance");
        let is_there = root.exists();
        let mut folders = vec![root];
        let mut checked = 0;
        while let Some(folder) = folders.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else {
                continue;
            };
            for path in entries.flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if path
                    .extension()
                    .is_some_and(|extension| extension == "wgsl")
                    && let Ok(text) = std::fs::read_to_string(&path)
                {
                    checked += u32::from(check(&path.display().to_string(), &text));
                }
            }
        }
        assert!(checked > 100 || !is_there, "{checked} programs");
    }
}
