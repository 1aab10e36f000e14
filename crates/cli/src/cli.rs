//! The command line as clap arguments: names, value parsers and help texts. The commands are implemented in other
//! modules.

use std::path::PathBuf;
use std::time::Duration;

use anywarp_adapter::{Floats, Schedule, SubgroupSize};
use anywarp_program::work::WorkLimits;
use anywarp_spirv::Discard;
use anywarp_wgsl_writer::Dialect;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

use crate::bench::BenchArgs;
use crate::console::Verbosity;
use crate::engine::EngineChoice;
use crate::gallery::GalleryArgs;
use crate::graph::GraphArgs;
use crate::specs::{
    self, Bind, ConstantValue, Contents, Out, PixelsFile, SpecError, Swap, Workgroups,
};
use crate::translate::Language;

/// Runs GPU programs anywhere: on the CPU with no driver installed, or on any GPU.
#[derive(Debug, Parser)]
#[command(name = "anywarp", version, propagate_version = true)]
#[command(
    after_help = "Exit codes: 0 done; 1 the program failed; 2 the command was wrong.\n\
    Results go to standard output, messages to standard error."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) messages: MessageArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How much every command says besides its results.
#[derive(Debug, Args)]
pub(crate) struct MessageArgs {
    /// Print only results and errors: no notes, no warnings, no progress
    #[arg(short, long, global = true, display_order = 900)]
    quiet: bool,
    /// Print every warning, the device, the engine and compile times; -vv prints more
    #[arg(short, long, global = true, display_order = 901, action = ArgAction::Count, conflicts_with = "quiet")]
    verbose: u8,
}

impl MessageArgs {
    pub(crate) fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, 0) => Verbosity::Normal,
            (false, 1) => Verbosity::Verbose,
            (false, _) => Verbosity::Debug,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run one compute entry point over a grid of workgroups
    Run(Box<RunArgs>),
    /// Show the entry points, workgroup sizes, bindings, overrides, memory and required features of a program
    Inspect(InspectArgs),
    /// Translate a program to another shader language, chosen by file extension
    Translate(TranslateArgs),
    /// Compile a Rust kernel crate to WebAssembly
    Build(BuildArgs),
    /// Plan, run, single-step or draw a work graph
    Graph(GraphArgs),
    /// List the examples in this command, or run them into a folder with a page of pictures, times and sources
    Gallery(GalleryArgs),
    /// Measure a set of kernels on each CPU engine and each installed driver
    Bench(BenchArgs),
    /// List all devices, the CPU first, with their limits and features
    Devices(DevicesArgs),
    /// Test this machine: engines, devices, tools; say what to install
    Doctor(DoctorArgs),
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write manual pages to a folder
    Man {
        /// The folder, which is created if it does not exist
        folder: PathBuf,
    },
}

const RUN_EXAMPLES: &str = "\
A binding is GROUP:BINDING, as 0:1, or the name of its variable. A COUNT and BYTES may end in k, M or G,
which stand for 1024, its square and its cube. TYPE is f16, f32, f64, i16, i32, i64, u16, u32 or u64.

What --bind and --immediate take:
  zeros:BYTES           zeros; zeros:TYPE:COUNT by elements
  random:BYTES[:SEED]   random bytes, the same for the same seed
  random:TYPE:COUNT[:SEED]
                        random numbers: floats from 0 to 1, 1 excluded, or integers of the whole range
  fill:TYPE:VALUE:COUNT the same number everywhere
  f32:1,2.5  u32:1,0xff numbers; the type may change in the list: u32:3,f32:1.5,2
  u32:0..64             the numbers 0 to 63; 0..=64 includes the end
  count=3,lights[1].radius=2.5,colour=[1,0,0]
                        values of members by name, the others zero; `anywarp inspect` lists the members
  @FILE.json            values of members as JSON: objects for structs, arrays for arrays, vectors and matrices
  @FILE                 the bytes of any other file
A buffer without --bind is zeros. A size that is not given, also in zeros, random, random:TYPE or
fill:TYPE:VALUE, follows from the type, from --out, or from the grid, where the shader indexes the array by
global_invocation_id and the like.

What --bind takes for a texture:
  FILE.png[:WxH][:FORMAT]
                        a picture, which must have the size, if one is given
  texture:SIZE[:FORMAT][:levels=N][:samples=N][:TEXELS]
                        SIZE is W, WxH or WxHxD, by the texture's dimension; of an array WxHxLAYERS.
                        TEXELS are zeros, random[:SEED], fill:R[,G,B,A], numbers, or @FILE
FORMAT of a storage texture is the shader's; the default of others is rgba8unorm, rgba8uint, rgba32sint
or depth16unorm. Numbers and files are the bytes of all texels: level by level, layer by layer,
row by row. A texture without --bind is zeros, of the size of its --out, or of all others of its
dimension.

What --bind takes for a sampler, on devices other than the CPU:
  sampler[:linear|nearest][:mipmap=linear|nearest][:clamp|repeat|mirror][:COMPARE]
                        COMPARE is for a comparison sampler: never, less, less-equal, equal, not-equal,
                        greater, greater-equal or always. A sampler without --bind is nearest, clamp
                        and, if it compares, less

What --out takes, as the last run left the binding:
  print[:COUNT]         values on standard output by the binding's own type: all, or the first COUNT
                        elements of an array
  print:TYPE[:COUNT]    the same bytes as numbers of another type
  FILE.bin              the bytes
  -                     the bytes on standard output; other results then go to standard error
  FILE.png:WxH:rgba8    a picture of packed bytes, red first
  FILE.png:WxH:f32x4    a picture of four floats per pixel, 0 to 1
  FILE.png:WxH:heat     a picture of numbers, minimum to maximum through a colour map

What --out takes for a texture:
  print[:COUNT]         its channels, as the shader loads them
  FILE.bin              the bytes of all texels; `-` writes them to standard output
  FILE.png[:WxH]        a picture of its first level. Floats are clamped to 0 to 1, integers to 0
                        to 255; 16-bit formats that are normalised or unsigned keep their 16 bits
  FILE.png[:WxH]:heat   a picture of its first channel, minimum to maximum

Examples:
  anywarp run examples/mandelbrot.wgsl --workgroups 128,128 --out 0:0=mandelbrot.png:1024x1024:heat
  anywarp run examples/edges.wgsl --workgroups 80,50 --bind 0:0=docs/images/ray-tracer.png --out 0:1=edges.png
  anywarp run examples/particles.wgsl --bind 'world=step=0.5,gravity=[0,-2,0]' --out particles=print:2
  anywarp build examples/kernels --out kernels.wasm
  anywarp run kernels.wasm --entry ray_tracer --args 640,400 --pixels picture.png:640x400";

#[derive(Debug, Args)]
#[command(after_long_help = RUN_EXAMPLES, after_help = "`anywarp run --help` explains each SPEC.")]
pub(crate) struct RunArgs {
    /// The program: .wgsl, .spv, .spvasm or GLSL (.comp, .vert, .frag), or a kernel: .wasm, .awbc or .awasm; - is
    /// standard input
    pub(crate) file: PathBuf,
    /// Entry point to run [default: the only compute entry point, or exported function]
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Workgroups in each dimension [default: 1]
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub(crate) workgroups: Option<Workgroups>,
    /// First contents of a buffer or texture, by GROUP:BINDING or name; at most once per binding
    #[arg(long, value_name = "BINDING=SPEC")]
    pub(crate) bind: Vec<Bind>,
    /// Where a buffer or texture is written or printed after the last run
    #[arg(long, value_name = "BINDING=SPEC")]
    pub(crate) out: Vec<Out>,
    /// Contents of the program's var<immediate> [default: zeros]
    #[arg(long, value_name = "SPEC")]
    pub(crate) immediate: Option<Contents>,
    /// Number of runs
    #[arg(long, value_name = "N", default_value = "1", value_parser = runs)]
    pub(crate) repeat: u64,
    /// Two bindings to swap between runs
    #[arg(long, value_name = "BINDING,BINDING")]
    pub(crate) swap: Vec<Swap>,
    /// Value of a pipeline-overridable constant, by its name or @id number
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) constant: Vec<ConstantValue>,
    /// Device: cpu, gpu, or part of the name of a device
    #[arg(long, value_name = "cpu|gpu|TEXT", default_value = "cpu")]
    pub(crate) device: String,
    #[command(flatten)]
    pub(crate) cpu: CpuArgs,
    /// Print compile, run and read-back times; waits for each run
    #[arg(long)]
    pub(crate) time: bool,
    /// Print the results as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) kernel: KernelArgs,
}

/// Options for the CPU device.
#[derive(Debug, Default, Args)]
pub(crate) struct CpuArgs {
    /// Engine that runs programs on the CPU [default: code; for kernels in WebAssembly: vm]
    #[arg(long, value_enum)]
    pub(crate) engine: Option<EngineChoice>,
    /// Processor time without a workgroup that finishes, after which a run on the CPU counts as endless; for .wasm files without a thread that ends, on GPUs too [default: 10]
    #[arg(long, value_name = "SECONDS|off", value_parser = time_limit)]
    pub(crate) watchdog: Option<TimeLimit>,
    /// Processor time that one dispatch may take on the CPU as a whole; for .wasm files and graphs also a run, on GPUs too [default: off]
    #[arg(long, value_name = "SECONDS|off", value_parser = time_limit)]
    pub(crate) limit: Option<TimeLimit>,
    /// Steps of work for compiling one kernel on the CPU, after which it is interpreted [default: 67108864]
    #[arg(long, value_name = "N")]
    pub(crate) compile_steps: Option<u64>,
    /// Maximum bytes of frame memory on each thread of the CPU: private and function variables and spilled values of a workgroup; at most 1G [default: 1G]
    #[arg(long, value_name = "BYTES", value_parser = specs::count)]
    pub(crate) max_frame_memory: Option<u64>,
    /// Run workgroups, and invocations between barriers, in an order drawn from a seed; interprets on the CPU
    #[arg(long, value_name = "in-order|random:SEED", value_parser = schedule)]
    pub(crate) schedule: Option<Schedule>,
    /// Lanes of a subgroup on the CPU: 4, 8, 16, 32, 64 or 128 [default: the lanes of the engine's vectors]
    #[arg(long, value_name = "N", value_parser = subgroup_size)]
    pub(crate) subgroup_size: Option<SubgroupSize>,
    /// Round every product and every sum on the CPU: no fused multiply-add
    #[arg(long)]
    pub(crate) strict_float: bool,
}

impl CpuArgs {
    /// The float rounding mode for the adapter.
    pub(crate) fn floats(&self) -> Floats {
        floats(self.strict_float)
    }
}

/// What `--strict-float` means.
pub(crate) fn floats(is_strict: bool) -> Floats {
    if is_strict {
        Floats::Strict
    } else {
        Floats::Fused
    }
}

/// Options of `run` for kernels in WebAssembly.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options for kernels (.wasm, .awbc, .awasm)")]
pub(crate) struct KernelArgs {
    /// Total number of threads [default: all threads of --workgroups, else one for each pixel of --pixels, else 1]
    #[arg(long, value_name = "N", value_parser = specs::count_u32)]
    pub(crate) threads: Option<u32>,
    /// Threads in each workgroup [default: 64 with --threads or --pixels, else 1]
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub(crate) workgroup_size: Option<Workgroups>,
    /// Arguments of the kernel, the same for every thread
    #[arg(
        long,
        value_name = "1,2,..",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub(crate) args: Option<Vec<String>>,
    /// How kernels run [default: bytecode]
    #[arg(long, value_enum)]
    pub(crate) tier: Option<Tier>,
    /// How floats are computed; `fast` needs the compiled tier, which on drivers is always fast
    #[arg(long, value_enum)]
    pub(crate) float: Option<Float>,
    /// Words for read_state, write_state and atomic_add; printed after the run
    #[arg(long, value_name = "SPEC")]
    pub(crate) state: Option<Contents>,
    /// Words for read_input
    #[arg(long, value_name = "SPEC")]
    pub(crate) input: Option<Contents>,
    /// Initial items for queue_pop; kernels can push more
    #[arg(long, value_name = "SPEC")]
    pub(crate) queue: Option<Contents>,
    /// Time that get_time returns [default: 0]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub(crate) clock: Option<f32>,
    /// Write the picture that set_pixel draws
    #[arg(long, value_name = "FILE.png:WxH")]
    pub(crate) pixels: Option<PixelsFile>,
    /// Allow the kernel to read and write files in this folder; may be given several times
    #[arg(long, value_name = "DIR")]
    pub(crate) allow_dir: Vec<PathBuf>,
    /// Allow recursion; a thread traps when its stack is full
    #[arg(long)]
    pub(crate) allow_recursion: bool,
    /// Share one memory between all threads, each with a stack of this size in it [default: one memory for each]
    #[arg(long, value_name = "BYTES", value_parser = specs::count_u32)]
    pub(crate) shared_memory: Option<u32>,
    /// Maximum size of a memory in pages of 64 KiB [default: the initial size, plus 16 if the kernel uses memory.grow, but at most 4096]
    #[arg(long, value_name = "PAGES", value_parser = specs::count_u32)]
    pub(crate) max_pages: Option<u32>,
    /// Pages that the memories and tables of all threads may have at the same time [default: 65536]
    #[arg(long, value_name = "PAGES", value_parser = specs::count_u32)]
    pub(crate) max_total_pages: Option<u32>,
    /// Size of the call stack of each thread in 32-bit slots [default: 4096; 16384 with --allow-recursion]
    #[arg(long, value_name = "SLOTS", value_parser = specs::count_u32)]
    pub(crate) stack: Option<u32>,
    /// Instructions that a thread may run before it traps; the virtual machine counts backward jumps and calls only
    #[arg(long, value_name = "N", value_parser = specs::count)]
    pub(crate) fuel: Option<u64>,
    /// Print every thread and every word of --state, even if there are more than 64
    #[arg(long)]
    pub(crate) all: bool,
}

impl KernelArgs {
    /// The first of these options that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let all = [
            ("--threads", self.threads.is_some()),
            ("--workgroup-size", self.workgroup_size.is_some()),
            ("--args", self.args.is_some()),
            ("--tier", self.tier.is_some()),
            ("--float", self.float.is_some()),
            ("--state", self.state.is_some()),
            ("--input", self.input.is_some()),
            ("--queue", self.queue.is_some()),
            ("--clock", self.clock.is_some()),
            ("--pixels", self.pixels.is_some()),
            ("--allow-dir", !self.allow_dir.is_empty()),
            ("--allow-recursion", self.allow_recursion),
            ("--shared-memory", self.shared_memory.is_some()),
            ("--max-pages", self.max_pages.is_some()),
            ("--max-total-pages", self.max_total_pages.is_some()),
            ("--stack", self.stack.is_some()),
            ("--fuel", self.fuel.is_some()),
            ("--all", self.all),
        ];
        all.into_iter()
            .find(|(_, given)| *given)
            .map(|(name, _)| name)
    }
}

/// How kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tier {
    /// Interpreted as bytecode
    Bytecode,
    /// Compiled for the device
    Compiled,
    /// Compiled where the kernel allows it, else as bytecode
    Auto,
}

/// How floats behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Float {
    /// Exactly as IEEE 754 requires, on every device
    Exact,
    /// With the precision of the device
    Fast,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print one JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// Folder of a crate with `crate-type = ["cdylib"]`
    #[arg(value_name = "KERNEL_CRATE")]
    pub(crate) folder: PathBuf,
    /// Copy the module to this file [default: it stays in the target folder]
    #[arg(long, value_name = "FILE.wasm")]
    pub(crate) out: Option<PathBuf>,
    /// Stack size of the kernel
    #[arg(long, value_name = "BYTES", default_value_t = anywarp_build::STACK, value_parser = specs::count_u32)]
    pub(crate) stack: u32,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The program: .wgsl, .spv, .spvasm, GLSL (.comp, .vert, .frag), .wasm, .awbc or .awasm; - is standard input
    pub(crate) file: PathBuf,
    /// Print one JSON object
    #[arg(long, conflicts_with_all = ["ir", "asm"])]
    pub(crate) json: bool,
    /// Print the vector IR of a compute entry point after a pass; `lowered` is before the first, `final` after the last [default STAGE: final]
    #[arg(long, value_name = "STAGE", num_args = 0..=1, require_equals = true, default_missing_value = "final")]
    pub(crate) ir: Option<String>,
    /// Print the machine code of a compute entry point
    #[arg(long)]
    pub(crate) asm: bool,
    /// The entry point of --ir and --asm; required if the program has several
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// The engine whose code --ir and --asm show [default: code]
    #[arg(long, value_enum)]
    pub(crate) engine: Option<EngineChoice>,
}

const TRANSLATE_EXAMPLES: &str = "\
Between .spv and .spvasm the words are not changed unless an option asks for it. SPIR-V text may begin
with a comment that gives its version, `; Version: 1.3`; the default is 1.6.

To standard output (`-`), SPIR-V is translated to WGSL unless --to gives another language.

Examples:
  anywarp translate shader.spv shader.wgsl --bindings map.json
  anywarp translate shader.wgsl shader.spv --entry main --spirv-version 1.6
  anywarp translate shader.spv shader.spvasm
  anywarp translate shader.spv -
  anywarp translate shader.wgsl - --to spv | spirv-val
  anywarp translate shaders translated --to wgsl";

#[derive(Debug, Args)]
#[command(after_long_help = TRANSLATE_EXAMPLES, after_help = "`anywarp translate --help` has examples.")]
pub(crate) struct TranslateArgs {
    /// The program: .wgsl, .spv, .spvasm or GLSL (.comp, .vert, .frag), or a kernel: .wasm, .awbc or .awasm; - is
    /// standard input; or a folder of them
    pub(crate) input: PathBuf,
    /// Output file: .wgsl, .spv, .spvasm, .glsl, .hlsl or .msl; for a kernel also .awbc or .awasm; for a folder the
    /// output folder, in which files keep their names; `-` is standard output
    pub(crate) output: PathBuf,
    /// Output language, overrides the file extension; required for folders, and for WGSL to standard output
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub(crate) to: Option<Language>,
    /// Write only this entry point; required for .glsl if the program has several
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Dialect of the WGSL output; naga has extensions to WebGPU [default: webgpu]
    #[arg(long, value_enum)]
    pub(crate) dialect: Option<WgslDialect>,
    /// Negate the y coordinate of positions: it points down in Vulkan and up in WebGPU
    #[arg(long)]
    pub(crate) flip_y: bool,
    /// Version of the SPIR-V output, 1.0 to 1.6 [default: 1.3]
    #[arg(long, value_name = "MAJOR.MINOR", value_parser = spirv_version)]
    pub(crate) spirv_version: Option<(u8, u8)>,
    /// Replace specialisation constants and overrides by their default values
    #[arg(long)]
    pub(crate) freeze_constants: bool,
    /// Write the bindings of split combined image samplers of SPIR-V to a file
    #[arg(long, value_name = "MAP.json")]
    pub(crate) bindings: Option<PathBuf>,
    /// Read the bindings for SPIR-V input from a file, in the format of --bindings
    #[arg(long, value_name = "MAP.json")]
    pub(crate) bindings_from: Option<PathBuf>,
    /// Translation of `discard` to SPIR-V [default: demote for version 1.6, else kill]
    #[arg(long, value_enum)]
    pub(crate) discard: Option<DiscardChoice>,
    /// Clamp out-of-bounds indices in the SPIR-V output
    #[arg(long)]
    pub(crate) check_bounds: bool,
    /// Omit debug names from the SPIR-V output
    #[arg(long)]
    pub(crate) strip_names: bool,
    /// Allow recursion in a kernel
    #[arg(long)]
    pub(crate) allow_recursion: bool,
    /// Workgroup size of a kernel that is translated to a shader language [default: 64]
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub(crate) workgroup_size: Option<Workgroups>,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

/// Limits on what is written, since a small program can have exponentially long text.
#[derive(Debug, Default, Args)]
pub(crate) struct WorkArgs {
    /// Maximum bytes of each output file of a shader [default: 64M]
    #[arg(long, value_name = "BYTES", value_parser = specs::count)]
    pub(crate) max_bytes: Option<u64>,
    /// Maximum steps to write a shader: pieces of text, or expressions [default: 256M]
    #[arg(long, value_name = "N", value_parser = specs::count)]
    pub(crate) max_steps: Option<u64>,
    /// Maximum time to write a shader [default: off]
    #[arg(long, value_name = "SECONDS|off", value_parser = time_limit)]
    pub(crate) max_time: Option<TimeLimit>,
}

impl WorkArgs {
    pub(crate) fn limits(&self) -> WorkLimits {
        let default = WorkLimits::TRANSLATION;
        let time = match self.max_time {
            Some(TimeLimit::After(time)) => Some(time),
            Some(TimeLimit::Off) => None,
            None => default.time,
        };
        default
            .with_bytes(self.max_bytes.unwrap_or(default.bytes))
            .with_steps(self.max_steps.unwrap_or(default.steps))
            .with_time(time)
    }
}

impl TranslateArgs {
    /// The first shader option that was given.
    pub(crate) fn shader_option(&self) -> Option<&'static str> {
        let all = [
            ("--to", self.to.is_some()),
            ("--entry", self.entry.is_some()),
            ("--dialect", self.dialect.is_some()),
            ("--workgroup-size", self.workgroup_size.is_some()),
            ("--flip-y", self.flip_y),
            ("--spirv-version", self.spirv_version.is_some()),
            ("--freeze-constants", self.freeze_constants),
            ("--bindings", self.bindings.is_some()),
            ("--bindings-from", self.bindings_from.is_some()),
            ("--discard", self.discard.is_some()),
            ("--check-bounds", self.check_bounds),
            ("--strip-names", self.strip_names),
        ];
        all.into_iter()
            .find(|(_, is_given)| *is_given)
            .map(|(name, _)| name)
    }

    /// Whether an option asks for different words than the SPIR-V module contains.
    pub(crate) fn changes_words(&self) -> bool {
        self.entry.is_some()
            || self.flip_y
            || self.spirv_version.is_some()
            || self.freeze_constants
            || self.bindings.is_some()
            || self.bindings_from.is_some()
            || self.discard.is_some()
            || self.check_bounds
            || self.strip_names
    }
}

/// The translation of `discard`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum DiscardChoice {
    /// The invocation continues as a helper
    Demote,
    /// The invocation ends
    Kill,
}

impl From<DiscardChoice> for Discard {
    fn from(choice: DiscardChoice) -> Self {
        match choice {
            DiscardChoice::Demote => Self::Demote,
            DiscardChoice::Kill => Self::Kill,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum WgslDialect {
    Webgpu,
    Naga,
}

impl From<WgslDialect> for Dialect {
    fn from(dialect: WgslDialect) -> Self {
        match dialect {
            WgslDialect::Webgpu => Self::WebGpu,
            WgslDialect::Naga => Self::Naga,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct DevicesArgs {
    /// Print one JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

/// The value of `--watchdog` and `--limit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeLimit {
    Off,
    After(Duration),
}

impl TimeLimit {
    /// The time, unless it is off.
    pub(crate) fn time(self) -> Option<Duration> {
        match self {
            Self::Off => None,
            Self::After(time) => Some(time),
        }
    }
}

fn time_limit(text: &str) -> Result<TimeLimit, SpecError> {
    if text == "off" {
        return Ok(TimeLimit::Off);
    }
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|time| !time.is_zero())
        .map(TimeLimit::After)
        .ok_or(SpecError::TimeLimit)
}

fn schedule(text: &str) -> Result<Schedule, SpecError> {
    let seed = text.strip_prefix("random:");
    match (text, seed.map(str::parse)) {
        ("in-order", _) => Ok(Schedule::InOrder),
        (_, Some(Ok(seed))) => Ok(Schedule::Random(seed)),
        _ => Err(SpecError::Schedule),
    }
}

fn runs(text: &str) -> Result<u64, SpecError> {
    let runs = specs::count(text)?;
    if runs == 0 {
        return Err(SpecError::NoRuns);
    }
    Ok(runs)
}

fn subgroup_size(text: &str) -> Result<SubgroupSize, SpecError> {
    text.parse()
        .ok()
        .and_then(SubgroupSize::new)
        .ok_or(SpecError::SubgroupSize)
}

fn spirv_version(text: &str) -> Result<(u8, u8), SpecError> {
    match text {
        "1.0" => Ok((1, 0)),
        "1.1" => Ok((1, 1)),
        "1.2" => Ok((1, 2)),
        "1.3" => Ok((1, 3)),
        "1.4" => Ok((1, 4)),
        "1.5" => Ok((1, 5)),
        "1.6" => Ok((1, 6)),
        _ => Err(SpecError::SpirvVersion),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn clap_finds_no_fault() {
        Cli::command().debug_assert();
    }
}
