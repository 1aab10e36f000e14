//! Modules: WebAssembly, validated, translated and decoded once for an engine.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::Kernel;
use super::engine::{Engine, Executor};
use crate::bytecode::{Bytecode, Export, KernelBindings, ProgramBindings};
#[cfg(feature = "gpu")]
use crate::gpu::LoadedProgram;
#[cfg(feature = "compiled")]
use crate::pipeline::{CompiledModule, NotCompiled, RunError, Source};
use crate::runtime::{Launch, LaunchError, LaunchOutcome, Resources};
#[cfg(feature = "vm")]
use crate::vm::Executable;
use crate::{TranslateError, TranslateOptions, Translation, Warning, translate};

/// A module whose exported functions an engine can run as kernels.
///
/// It is validated, translated and decoded when it is created. Clones share it.
///
/// ```
/// use anywarp_wasm::{Engine, Module};
///
/// let module = Module::new(&Engine::vm(), &wat::parse_str(
///     r#"(module (func (export "square") (param i32) (result i32)
///         (i32.mul (local.get 0) (local.get 0))))"#,
/// )?)?;
/// assert_eq!(module.kernels().collect::<Vec<_>>(), ["square"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Module {
    shared: Arc<Shared>,
}

/// What the clones of a module share.
struct Shared {
    engine: Engine,
    program: Arc<Bytecode>,
    /// The index in the program of each function of the module, if it has one.
    #[cfg_attr(
        not(feature = "compiled"),
        expect(dead_code, reason = "for traps of compiled kernels")
    )]
    function_indices: Vec<Option<u32>>,
    code: Code,
    warnings: Vec<Warning>,
    /// For each export the bindings that it uses, once they were needed.
    bindings: Vec<OnceLock<KernelBindings>>,
}

/// The program as the engine executes it.
enum Code {
    #[cfg(feature = "vm")]
    Vm(Executable),
    #[cfg(feature = "gpu")]
    GpuInterpreter(Box<LoadedProgram>),
    #[cfg(feature = "compiled")]
    Compiled {
        module: CompiledModule,
        /// The program for the engine's fallback.
        fallback: Option<Box<Self>>,
    },
}

impl Code {
    fn new(executor: &Executor, bytes: Option<&[u8]>, program: &Arc<Bytecode>) -> Self {
        #[cfg(not(feature = "compiled"))]
        let _ = bytes;
        match executor {
            #[cfg(feature = "vm")]
            Executor::Vm(_) => {
                let executable = Executable::new(Arc::clone(program));
                executable.decode();
                Self::Vm(executable)
            }
            #[cfg(feature = "gpu")]
            Executor::GpuInterpreter(interpreter) => {
                Self::GpuInterpreter(Box::new(interpreter.prepare(Arc::clone(program))))
            }
            #[cfg(feature = "compiled")]
            Executor::Compiled { fallback, .. } => Self::Compiled {
                module: CompiledModule::new(bytes.unwrap_or_default()),
                fallback: fallback
                    .as_ref()
                    .map(|engine| Box::new(Self::new(engine, bytes, program))),
            },
        }
    }
}

impl Module {
    /// Creates a module from the bytes of a WebAssembly module, with default options.
    ///
    /// # Errors
    ///
    /// The module is invalid, uses an unsupported feature, has an unknown import, or is recursive.
    pub fn new(engine: &Engine, bytes: &[u8]) -> Result<Self, TranslateError> {
        Self::with_options(engine, bytes, &TranslateOptions::default())
    }

    /// Creates a module from the bytes of a WebAssembly module.
    ///
    /// # Errors
    ///
    /// The module is invalid, uses an unsupported feature, has an unknown import, or is recursive
    /// although the options do not allow recursion.
    pub fn with_options(
        engine: &Engine,
        bytes: &[u8],
        options: &TranslateOptions,
    ) -> Result<Self, TranslateError> {
        let translation = translate(bytes, options)?;
        Ok(Self::new_shared(engine, Some(bytes), translation))
    }

    /// Creates a module from translated modules.
    #[doc(hidden)]
    pub fn from_translation(engine: &Engine, translation: Translation) -> Self {
        Self::new_shared(engine, None, translation)
    }

    /// Creates a module; without its bytes it cannot be compiled.
    fn new_shared(engine: &Engine, bytes: Option<&[u8]>, translation: Translation) -> Self {
        let program = Arc::new(translation.bytecode);
        let code = Code::new(&engine.executor, bytes, &program);
        let bindings = program.exports.iter().map(|_| OnceLock::new()).collect();
        let shared = Arc::new(Shared {
            engine: engine.clone(),
            program,
            function_indices: translation.function_indices,
            code,
            warnings: translation.warnings,
            bindings,
        });
        Self { shared }
    }

    /// The names of the exported functions, in the module's order.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        let exports = self.shared.program.exports.iter();
        exports.map(|export| export.name.as_str())
    }

    /// An exported function as a kernel, with a grid of one thread.
    ///
    /// # Errors
    ///
    /// If no exported function has the name; the error lists those that there are.
    pub fn kernel(&self, name: &str) -> Result<Kernel, LaunchError> {
        let exports = &self.shared.program.exports;
        // The last one wins: programs come after the libraries they link to.
        let found = exports.iter().rposition(|export| export.name == name);
        match found {
            Some(export) => Ok(Kernel::new(self.clone(), export)),
            None => Err(LaunchError::UnknownKernel {
                name: name.to_owned(),
                kernels: self.kernels().map(str::to_owned).collect(),
            }),
        }
    }

    /// The kernel of a launch.
    #[doc(hidden)]
    pub fn kernel_of(&self, launch: &Launch) -> Result<Kernel, LaunchError> {
        let kernel = self.kernel(&launch.kernel)?;
        Ok(kernel.with_launch(launch.clone()))
    }

    /// What is valid in the module but may be slow or recursive at run time.
    /// [`fold_warnings`](crate::fold_warnings) summarizes it.
    pub fn warnings(&self) -> &[Warning] {
        &self.shared.warnings
    }

    pub(super) fn program(&self) -> &Bytecode {
        &self.shared.program
    }

    pub(super) fn export(&self, index: usize) -> &Export {
        &self.shared.program.exports[index]
    }

    /// The bindings that an export uses.
    pub(super) fn bindings(&self, export: usize) -> &KernelBindings {
        let find = || ProgramBindings::new(self.program()).of(self.export(export));
        self.shared.bindings[export].get_or_init(find)
    }

    /// Runs a launch on the module's engine.
    pub(super) async fn launch(
        &self,
        launch: &Launch,
        resources: &mut Resources,
    ) -> Result<LaunchOutcome, LaunchError> {
        let Shared { engine, code, .. } = &*self.shared;
        self.launch_on(&engine.executor, code, launch, resources)
            .await
    }

    async fn launch_on(
        &self,
        executor: &Executor,
        code: &Code,
        launch: &Launch,
        resources: &mut Resources,
    ) -> Result<LaunchOutcome, LaunchError> {
        match (executor, code) {
            #[cfg(feature = "vm")]
            (Executor::Vm(options), Code::Vm(executable)) => {
                executable.run(launch, *options, resources)
            }
            #[cfg(feature = "gpu")]
            (Executor::GpuInterpreter(interpreter), Code::GpuInterpreter(program)) => {
                interpreter.run_program(program, launch, resources).await
            }
            #[cfg(feature = "compiled")]
            (
                Executor::Compiled {
                    executor,
                    fallback: engine,
                },
                Code::Compiled { module, fallback },
            ) => {
                let source = Source {
                    program: self.program(),
                    function_indices: &self.shared.function_indices,
                };
                let reason = match executor.run(module, &source, launch, resources).await {
                    Ok(outcome) => return Ok(outcome),
                    Err(RunError::Launch(error)) => return Err(error),
                    Err(RunError::NotCompiled(reason)) => reason,
                };
                match (engine, fallback) {
                    (Some(engine), Some(code)) => {
                        let launch = self.launch_on(engine, code, launch, resources);
                        Box::pin(launch).await
                    }
                    _ => Err(LaunchError::NotCompiled(Box::new(reason))),
                }
            }
            #[cfg(any(feature = "compiled", all(feature = "vm", feature = "gpu")))]
            _ => unreachable!("a module's code is that of its engine"),
        }
    }

    /// Compiles an export for a workgroup size, if the engine compiles: why it cannot, otherwise.
    #[cfg(feature = "compiled")]
    pub(super) async fn prepare(
        &self,
        name: &str,
        size: [u32; 3],
    ) -> Option<Result<(), NotCompiled>> {
        match (&self.shared.engine.executor, &self.shared.code) {
            (Executor::Compiled { executor, .. }, Code::Compiled { module, .. }) => {
                let kernel = executor.prepare(module, name, size).await;
                Some(
                    kernel
                        .as_ref()
                        .as_ref()
                        .map(|_| ())
                        .map_err(NotCompiled::clone),
                )
            }
            _ => None,
        }
    }

    /// Whether a launch needs another task to make progress.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn must_wait(&self) -> bool {
        match &self.shared.code {
            #[cfg(feature = "vm")]
            Code::Vm(_) => false,
            #[cfg(feature = "gpu")]
            Code::GpuInterpreter(_) => true,
            #[cfg(feature = "compiled")]
            Code::Compiled { .. } => true,
        }
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kernels: Vec<&str> = self.kernels().collect();
        f.debug_struct("Module")
            .field("kernels", &kernels)
            .finish_non_exhaustive()
    }
}
