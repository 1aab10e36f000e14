//! Generates modules that test one instruction.
//!
//! In: an instruction with its operand and result types. Out: a module in which invocation `i` reads its operands from
//! one buffer, executes the instruction and writes the result to another. Operands and results are encoded in words:
//! one per component, two for 64-bit components; 16-bit floats are converted from and to 32 bits, and booleans are 0 or
//! 1.

use std::fmt::Write;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// The instruction under test and its environment.
#[derive(Clone, Copy, Default)]
pub(crate) struct Case<'a> {
    /// `$0`, `$1`, ... are the operands, `$T` is the result type; text of several lines must define `%r`
    /// explicitly.
    pub(crate) text: &'a str,
    /// Types, such as `f32`, `v3i16`, `bool`.
    pub(crate) operands: &'a [&'a str],
    pub(crate) result: &'a str,
    /// Additional types and constants.
    pub(crate) types: &'a str,
    /// Function variables.
    pub(crate) locals: &'a str,
    /// Decorations of the additional types.
    pub(crate) decorations: &'a str,
    /// Workgroup size; 0 means one invocation.
    pub(crate) workgroup: u32,
    /// Opcodes to replace after assembly, for instructions that assemblers may not know: from and to.
    pub(crate) stands_for: Option<(u32, u32)>,
}

/// The number of components and the component type in the name of a type.
pub(crate) fn shape(ty: &str) -> (usize, &str) {
    match ty.strip_prefix('v') {
        Some(rest) => (rest[..1].parse().unwrap(), &rest[1..]),
        None => (1, ty),
    }
}

/// The number of words of a value in a buffer.
pub(crate) fn words(ty: &str) -> usize {
    let (count, scalar) = shape(ty);
    count * if scalar.ends_with("64") { 2 } else { 1 }
}

const SCALARS: &[(&str, &str)] = &[
    ("f16", "OpTypeFloat 16"),
    ("f32", "OpTypeFloat 32"),
    ("f64", "OpTypeFloat 64"),
    ("i8", "OpTypeInt 8 1"),
    ("u8", "OpTypeInt 8 0"),
    ("i16", "OpTypeInt 16 1"),
    ("u16", "OpTypeInt 16 0"),
    ("i32", "OpTypeInt 32 1"),
    ("u32", "OpTypeInt 32 0"),
    ("i64", "OpTypeInt 64 1"),
    ("u64", "OpTypeInt 64 0"),
    ("bool", "OpTypeBool"),
];

impl Case<'_> {
    /// The module as assembly text.
    pub(crate) fn module(&self) -> String {
        let mut text = String::new();
        let size = self.workgroup.max(1);
        let _ = writeln!(
            text,
            "OpCapability Shader
            OpCapability Int8
            OpCapability Int16
            OpCapability Int64
            OpCapability Float16
            OpCapability Float64
            OpCapability Int64Atomics
            OpCapability AtomicFloat32AddEXT
            OpCapability DotProduct
            OpCapability DotProductInputAll
            OpCapability DotProductInput4x8Bit
            OpCapability DotProductInput4x8BitPacked
            OpCapability GroupNonUniform
            OpCapability GroupNonUniformVote
            OpCapability GroupNonUniformArithmetic
            OpCapability GroupNonUniformBallot
            OpCapability GroupNonUniformShuffle
            OpCapability GroupNonUniformShuffleRelative
            OpCapability GroupNonUniformClustered
            OpCapability GroupNonUniformQuad
            OpCapability GroupNonUniformRotateKHR
            OpCapability GroupNonUniformPartitionedNV
            OpCapability Groups
            OpCapability SubgroupBallotKHR
            OpCapability SubgroupVoteKHR
            OpExtension \"SPV_KHR_integer_dot_product\"
            OpExtension \"SPV_KHR_subgroup_rotate\"
            OpExtension \"SPV_KHR_shader_ballot\"
            OpExtension \"SPV_KHR_subgroup_vote\"
            OpExtension \"SPV_EXT_shader_atomic_float_add\"
            OpExtension \"SPV_NV_shader_subgroup_partitioned\"
            %glsl = OpExtInstImport \"GLSL.std.450\"
            OpMemoryModel Logical GLSL450
            OpEntryPoint GLCompute %main \"main\" %id %in %out
            OpExecutionMode %main LocalSize {size} 1 1
            OpDecorate %id BuiltIn GlobalInvocationId
            OpDecorate %array ArrayStride 4
            OpDecorate %buffer Block
            OpMemberDecorate %buffer 0 Offset 0
            OpDecorate %in DescriptorSet 0
            OpDecorate %in Binding 0
            OpDecorate %out DescriptorSet 0
            OpDecorate %out Binding 1
            {}
            %void = OpTypeVoid
            %function = OpTypeFunction %void",
            self.decorations
        );
        for (name, ty) in SCALARS {
            let _ = writeln!(text, "%{name} = {ty}");
            for count in 2..=4 {
                let _ = writeln!(text, "%v{count}{name} = OpTypeVector %{name} {count}");
            }
        }
        for number in 0..=64 {
            let _ = writeln!(text, "%c{number} = OpConstant %u32 {number}");
        }
        let _ = writeln!(
            text,
            "%array = OpTypeRuntimeArray %u32
            %buffer = OpTypeStruct %array
            %buffer_pointer = OpTypePointer StorageBuffer %buffer
            %in = OpVariable %buffer_pointer StorageBuffer
            %out = OpVariable %buffer_pointer StorageBuffer
            %word = OpTypePointer StorageBuffer %u32
            %id_pointer = OpTypePointer Input %v3u32
            %id = OpVariable %id_pointer Input
            {}
            %main = OpFunction %void None %function
            %start = OpLabel
            {}
            %id3 = OpLoad %v3u32 %id
            %lane = OpCompositeExtract %u32 %id3 0",
            self.types, self.locals
        );
        self.body(&mut text);
        text.push_str("OpReturn\nOpFunctionEnd\n");
        text
    }

    fn body(&self, text: &mut String) {
        let taken: usize = self.operands.iter().map(|ty| words(ty)).sum();
        let _ = writeln!(text, "%first_in = OpIMul %u32 %lane %c{taken}");
        let given = words(self.result);
        let _ = writeln!(text, "%first_out = OpIMul %u32 %lane %c{given}");
        let mut at = 0;
        for (number, ty) in self.operands.iter().enumerate() {
            take(text, &format!("o{number}"), ty, &mut at);
        }
        let mut instruction = self.text.replace("$T", &format!("%{}", self.result));
        for number in 0..self.operands.len() {
            instruction = instruction.replace(&format!("${number}"), &format!("%o{number}"));
        }
        if !instruction.contains("%r =") {
            instruction = format!("%r = {instruction}");
        }
        let _ = writeln!(text, "{instruction}");
        give(text, self.result);
    }

    /// The words of the module; `None` if no assembler is installed.
    pub(crate) fn assemble(&self) -> Option<Vec<u8>> {
        let bytes = assemble(&self.module())?;
        match self.stands_for {
            Some((opcode, other)) => Some(with_opcode(&bytes, opcode, other)),
            None => Some(bytes),
        }
    }
}

/// Replaces an opcode in all instructions of a module.
fn with_opcode(bytes: &[u8], opcode: u32, other: u32) -> Vec<u8> {
    let words = bytes.chunks_exact(4);
    let words = words.map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    let mut words: Vec<u32> = words.collect();
    // The length of the header.
    let mut at = 5;
    while at < words.len() {
        let length = words[at] >> 16;
        if words[at] & 0xffff == opcode {
            words[at] = length << 16 | other;
        }
        at += length as usize;
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Generates the load of an operand from its words.
fn take(text: &mut String, name: &str, ty: &str, at: &mut usize) {
    let (count, scalar) = shape(ty);
    let mut parts = String::new();
    for index in 0..count {
        let part = format!("{name}_{index}");
        let mut word = |half: &str| {
            let _ = writeln!(
                text,
                "%{part}{half}_at = OpIAdd %u32 %first_in %c{at}
                %{part}{half}_p = OpAccessChain %word %in %c0 %{part}{half}_at
                %{part}{half}_w = OpLoad %u32 %{part}{half}_p"
            );
            *at += 1;
        };
        word("");
        if scalar.ends_with("64") {
            word("h");
        }
        let line = match scalar {
            "u32" => format!("OpCopyObject %u32 %{part}_w"),
            "i32" | "f32" => format!("OpBitcast %{scalar} %{part}_w"),
            "u8" | "u16" => format!("OpUConvert %{scalar} %{part}_w"),
            "i8" | "i16" => format!("OpSConvert %{scalar} %{part}_w"),
            "bool" => format!("OpINotEqual %bool %{part}_w %c0"),
            "f16" => {
                let _ = writeln!(text, "%{part}_f = OpBitcast %f32 %{part}_w");
                format!("OpFConvert %f16 %{part}_f")
            }
            _ => {
                let _ = writeln!(
                    text,
                    "%{part}_b = OpCompositeConstruct %v2u32 %{part}_w %{part}h_w"
                );
                format!("OpBitcast %{scalar} %{part}_b")
            }
        };
        let _ = writeln!(text, "%{part} = {line}");
        let _ = write!(parts, " %{part}");
    }
    let whole = match count {
        1 => format!("OpCopyObject %{ty}{parts}"),
        _ => format!("OpCompositeConstruct %{ty}{parts}"),
    };
    let _ = writeln!(text, "%{name} = {whole}");
}

/// Generates the store of the result `%r` as words.
fn give(text: &mut String, ty: &str) {
    let (count, scalar) = shape(ty);
    let mut at = 0;
    for index in 0..count {
        let _ = match count {
            1 => writeln!(text, "%r_{index} = OpCopyObject %{ty} %r"),
            _ => writeln!(text, "%r_{index} = OpCompositeExtract %{scalar} %r {index}"),
        };
        let part = format!("%r_{index}");
        let lines = match scalar {
            "u32" => vec![format!("OpCopyObject %u32 {part}")],
            "i32" | "f32" => vec![format!("OpBitcast %u32 {part}")],
            "u8" | "u16" => vec![format!("OpUConvert %u32 {part}")],
            "i8" | "i16" => vec![format!("OpSConvert %u32 {part}")],
            "bool" => vec![format!("OpSelect %u32 {part} %c1 %c0")],
            "f16" => {
                let _ = writeln!(text, "%r_{index}_f = OpFConvert %f32 {part}");
                vec![format!("OpBitcast %u32 %r_{index}_f")]
            }
            _ => {
                let _ = writeln!(text, "%r_{index}_b = OpBitcast %v2u32 {part}");
                let half = |half| format!("OpCompositeExtract %u32 %r_{index}_b {half}");
                vec![half(0), half(1)]
            }
        };
        for line in lines {
            let _ = writeln!(
                text,
                "%w{at} = {line}
                %w{at}_at = OpIAdd %u32 %first_out %c{at}
                %w{at}_p = OpAccessChain %word %out %c0 %w{at}_at
                OpStore %w{at}_p %w{at}"
            );
            at += 1;
        }
    }
}

/// Assembles text; `None` if no assembler is installed.
pub(crate) fn assemble(text: &str) -> Option<Vec<u8>> {
    let mut assembler = Command::new("spirv-as")
        .args(["--target-env", "spv1.6", "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = assembler.stdin.take().unwrap();
    let text = text.to_owned();
    let writer = std::thread::spawn({
        let text = text.clone();
        move || input.write_all(text.as_bytes())
    });
    let output = assembler.wait_with_output().unwrap();
    let _ = writer.join();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}\n{text}");
    Some(output.stdout)
}
