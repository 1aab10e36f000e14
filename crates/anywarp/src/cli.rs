//! The command line as clap sees it. Names and meanings only; the work is elsewhere.

use std::path::PathBuf;
use std::time::Duration;

use anywarp_adapter::{Floats, SubgroupSize};
use anywarp_spirv::{Dialect, Discard};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::bench::BenchArgs;
use crate::engine::EngineChoice;
use crate::graph::GraphArgs;
use crate::specs::{Bind, ConstantValue, Contents, Out, PixelsFile, Swap, Workgroups};
use crate::translate::Language;

/// Runs any GPU program anywhere: on the CPU with no driver installed, or on any GPU.
#[derive(Debug, Parser)]
#[command(name = "anywarp", version, propagate_version = true)]
#[command(
    after_help = "Exit codes: 0 done; 1 the program failed; 2 the command was wrong.\n\
    Results go to standard output, messages to standard error."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run one compute entry point over a grid of workgroups
    Run(Box<RunArgs>),
    /// Show entry points, workgroup sizes, bindings, overrides, memory and needed features
    Inspect(InspectArgs),
    /// Translate a program into another shader language, by file extension
    Translate(TranslateArgs),
    /// Compile a Rust kernel crate to WebAssembly
    Build(BuildArgs),
    /// Plan, run, step through or draw a work graph
    Graph(GraphArgs),
    /// Compare our engine with every driver, on a set of kernels
    Bench(BenchArgs),
    /// List every device, ours first, with what it can do
    Devices(DevicesArgs),
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
    /// The program: .wgsl, .spv or .spvasm, or a kernel: .wasm, .awbc or .awasm
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
    /// How often to run
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) repeat: u64,
    /// Two bindings that exchange their buffers or textures between runs
    #[arg(long, value_name = "BINDING,BINDING")]
    pub(crate) swap: Vec<Swap>,
    /// Value of a pipeline-overridable constant, by name or @id number
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) constant: Vec<ConstantValue>,
    /// cpu, gpu, or a part of a device's name
    #[arg(long, value_name = "cpu|gpu|TEXT", default_value = "cpu")]
    pub(crate) device: String,
    #[command(flatten)]
    pub(crate) cpu: CpuArgs,
    /// Say how long compiling, each run and reading back took; waits for each run on its own
    #[arg(long)]
    pub(crate) time: bool,
    /// Results as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) kernel: KernelArgs,
}

/// What a command takes for the CPU device alone.
#[derive(Debug, Default, Args)]
pub(crate) struct CpuArgs {
    /// Who runs programs on the CPU [default: code; of kernels in WebAssembly: vm]
    #[arg(long, value_enum)]
    pub(crate) engine: Option<EngineChoice>,
    /// Time that one dispatch may take on the CPU before it counts as endless [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) watchdog: Option<Duration>,
    /// Lanes of a subgroup on the CPU: 4, 8, 16, 32, 64 or 128 [default: 16]
    #[arg(long, value_name = "N", value_parser = subgroup_size)]
    pub(crate) subgroup_size: Option<SubgroupSize>,
    /// Round every product and every sum on the CPU: no multiply-add fusion
    #[arg(long)]
    pub(crate) strict_float: bool,
}

impl CpuArgs {
    /// The same for the adapter.
    pub(crate) fn floats(&self) -> Floats {
        floats(self.strict_float)
    }
}

/// What `--strict-float` means.
pub(crate) fn floats(is_strict: bool) -> Floats {
    match is_strict {
        true => Floats::Strict,
        false => Floats::Fused,
    }
}

/// What `run` takes for kernels in WebAssembly alone.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options for kernels (.wasm, .awbc, .awasm)")]
pub(crate) struct KernelArgs {
    /// Threads in all [default: as the workgroups say, or one for each pixel of --pixels]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<u32>,
    /// Threads of a workgroup [default: 64 with --threads, else 1]
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
    /// How kernels run; `compiled` is not there yet
    #[arg(long, value_enum)]
    pub(crate) tier: Option<Tier>,
    /// How floats behave; `fast` needs the compiled tier
    #[arg(long, value_enum)]
    pub(crate) float: Option<Float>,
    /// What read_state, write_state and atomic_add act on; shown at the end
    #[arg(long, value_name = "SPEC")]
    pub(crate) state: Option<Contents>,
    /// What read_input reads
    #[arg(long, value_name = "SPEC")]
    pub(crate) input: Option<Contents>,
    /// Work for queue_pop, there before the kernel begins; kernels can add to it
    #[arg(long, value_name = "SPEC")]
    pub(crate) queue: Option<Contents>,
    /// What get_time gives
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "0",
        allow_hyphen_values = true
    )]
    pub(crate) clock: f32,
    /// Where the picture that set_pixel draws goes
    #[arg(long, value_name = "FILE.png:WxH")]
    pub(crate) pixels: Option<PixelsFile>,
    /// A folder whose files the kernel may read and write; can be given several times
    #[arg(long, value_name = "DIR")]
    pub(crate) allow_dir: Vec<PathBuf>,
    /// Let functions call themselves, with a stack that traps when it is full
    #[arg(long)]
    pub(crate) allow_recursion: bool,
    /// One memory for all threads, each with a stack of so many bytes in it [default: each its own]
    #[arg(long, value_name = "BYTES")]
    pub(crate) shared_memory: Option<u32>,
    /// Pages of 64 KiB that a memory may have [default: as at first, 16 more if the program grows it]
    #[arg(long, value_name = "PAGES")]
    pub(crate) max_pages: Option<u32>,
    /// Slots of 32 bits of each thread's call stack [default: 4096, 16384 with --allow-recursion]
    #[arg(long, value_name = "SLOTS")]
    pub(crate) stack: Option<u32>,
    /// Instructions that a thread may run before it traps; on the virtual machine, jumps back and calls
    #[arg(long, value_name = "N")]
    pub(crate) fuel: Option<u64>,
    /// Show every thread, also if there are more than 64
    #[arg(long)]
    pub(crate) all: bool,
    /// Show every warning about the kernel, not a summary
    #[arg(long)]
    pub(crate) verbose: bool,
}

impl KernelArgs {
    /// The first of these options that is given.
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
            ("--clock", self.clock != 0.0),
            ("--pixels", self.pixels.is_some()),
            ("--allow-dir", !self.allow_dir.is_empty()),
            ("--allow-recursion", self.allow_recursion),
            ("--shared-memory", self.shared_memory.is_some()),
            ("--max-pages", self.max_pages.is_some()),
            ("--stack", self.stack.is_some()),
            ("--fuel", self.fuel.is_some()),
            ("--all", self.all),
            ("--verbose", self.verbose),
        ];
        all.into_iter()
            .find(|(_, given)| *given)
            .map(|(name, _)| name)
    }
}

/// How kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tier {
    /// As bytecode, at once.
    Bytecode,
    /// Compiled for the device.
    Compiled,
}

/// How floats behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Float {
    /// As IEEE 754 says, on every device.
    Exact,
    /// As the device likes.
    Fast,
}

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// The folder of a crate with `crate-type = ["cdylib"]`
    #[arg(value_name = "KERNEL_CRATE")]
    pub(crate) folder: PathBuf,
    /// Where the module goes [default: it stays in the target folder]
    #[arg(long, value_name = "FILE.wasm")]
    pub(crate) out: Option<PathBuf>,
    /// Bytes of the kernel's stack
    #[arg(long, value_name = "BYTES", default_value_t = anywarp::build::STACK)]
    pub(crate) stack: u32,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The program: .wgsl, .spv, .spvasm, .wasm, .awbc or .awasm
    pub(crate) file: PathBuf,
    /// The same as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Show every warning about a kernel, not a summary
    #[arg(long)]
    pub(crate) verbose: bool,
}

const TRANSLATE_EXAMPLES: &str = "\
Between .spv and .spvasm the words stay as they are, unless an option asks for a change. Text begins
with a comment that has the version, `; Version: 1.3`; without one it is 1.6.

Examples:
  anywarp translate shader.spv shader.wgsl --bindings map.json
  anywarp translate shader.wgsl shader.spv --entry main --spirv-version 1.6
  anywarp translate shader.spv shader.spvasm
  anywarp translate shaders translated --to wgsl";

#[derive(Debug, Args)]
#[command(after_long_help = TRANSLATE_EXAMPLES, after_help = "`anywarp translate --help` has examples.")]
pub(crate) struct TranslateArgs {
    /// The program: .wgsl, .spv or .spvasm, or a kernel: .wasm, .awbc or .awasm; or a folder of them
    pub(crate) input: PathBuf,
    /// The file to write: .wgsl, .spv, .spvasm, .glsl, .hlsl or .msl; of a kernel .awbc or .awasm; of a
    /// folder the folder to write, where files keep their names
    pub(crate) output: PathBuf,
    /// The language to write, whatever the file is called; a folder needs it
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub(crate) to: Option<Language>,
    /// Write this entry point alone; .glsl needs it where there are several
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Whose WGSL is written: naga takes more than WebGPU has [default: webgpu]
    #[arg(long, value_enum)]
    pub(crate) dialect: Option<WgslDialect>,
    /// Negate the y of positions: SPIR-V for Vulkan points down, WGSL up [default: kept as it is]
    #[arg(long)]
    pub(crate) flip_y: bool,
    /// Version of SPIR-V to write, 1.0 to 1.6 [default: 1.3]
    #[arg(long, value_name = "MAJOR.MINOR", value_parser = spirv_version)]
    pub(crate) spirv_version: Option<(u8, u8)>,
    /// Specialisation constants and overrides become constants at their defaults
    #[arg(long)]
    pub(crate) freeze_constants: bool,
    /// Write where combined image samplers of SPIR-V went, which become two bindings
    #[arg(long, value_name = "MAP.json")]
    pub(crate) bindings: Option<PathBuf>,
    /// Say where bindings of SPIR-V should go, in the form that --bindings writes
    #[arg(long, value_name = "MAP.json")]
    pub(crate) bindings_from: Option<PathBuf>,
    /// What `discard` becomes in SPIR-V [default: demote from 1.6 on, before that kill]
    #[arg(long, value_enum)]
    pub(crate) discard: Option<DiscardChoice>,
    /// In SPIR-V, move indices that are out of bounds into them
    #[arg(long)]
    pub(crate) check_bounds: bool,
    /// Leave names out of SPIR-V
    #[arg(long)]
    pub(crate) strip_names: bool,
    /// Of a kernel: let functions call themselves
    #[arg(long)]
    pub(crate) allow_recursion: bool,
    /// Show every warning about a kernel, not a summary
    #[arg(long)]
    pub(crate) verbose: bool,
}

impl TranslateArgs {
    /// Whether an option asks for other words than a module of SPIR-V has.
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

/// What `discard` becomes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum DiscardChoice {
    /// The invocation goes on as a helper
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
    /// The same as one JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "give a positive number of seconds".to_owned())
}

fn subgroup_size(text: &str) -> Result<SubgroupSize, String> {
    text.parse()
        .ok()
        .and_then(SubgroupSize::new)
        .ok_or_else(|| "give 4, 8, 16, 32, 64 or 128".to_owned())
}

fn spirv_version(text: &str) -> Result<(u8, u8), String> {
    match text {
        "1.0" => Ok((1, 0)),
        "1.1" => Ok((1, 1)),
        "1.2" => Ok((1, 2)),
        "1.3" => Ok((1, 3)),
        "1.4" => Ok((1, 4)),
        "1.5" => Ok((1, 5)),
        "1.6" => Ok((1, 6)),
        _ => Err("give 1.0 to 1.6".to_owned()),
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
