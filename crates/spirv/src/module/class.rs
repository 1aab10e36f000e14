//! Classes of instructions: which part of the reader translates an opcode.
//!
//! In: an opcode. Out: its [`OpClass`]. Each opcode that the reader knows is in exactly one class, and each class has
//! exactly one function that translates it.

use rspirv::spirv::Op;

/// What kind of instruction an opcode is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpClass {
    /// Annotation instructions: decorations of ids and members.
    Decoration,
    Type,
    Constant,
    /// `OpUndef`: a constant outside functions, a value inside them.
    Undefined,
    Variable,
    /// Loads, stores, copies and access chains.
    Memory,
    /// `OpSelect`, on values or on pointers.
    Select,
    /// `OpPtrEqual`, `OpPtrNotEqual` and `OpPtrDiff`.
    PointerComparison,
    /// Arithmetic, logic, bit and matrix instructions.
    Arithmetic,
    Comparison,
    Derivative,
    Conversion,
    Composite,
    Image,
    SparseImage,
    ExtendedSet,
    IntegerDot,
    Atomic,
    Barrier,
    /// Subgroup votes, broadcasts and shuffles.
    Subgroup,
    Ballot,
    /// Subgroup reductions and scans.
    Collective,
    Call,
    /// No code is generated for it, for example debug information.
    NoEffect,
    /// Structure of the module or of a function (labels, terminators, merges), or unsupported.
    Other,
}

#[rustfmt::skip]
pub(crate) fn class_of(op: Op) -> OpClass {
    match op {
        Op::Decorate | Op::DecorateId | Op::DecorateString | Op::MemberDecorate | Op::MemberDecorateString
        | Op::DecorationGroup | Op::GroupDecorate | Op::GroupMemberDecorate => OpClass::Decoration,

        Op::TypeVoid | Op::TypeBool | Op::TypeInt | Op::TypeFloat | Op::TypeVector | Op::TypeMatrix | Op::TypeArray
        | Op::TypeRuntimeArray | Op::TypeStruct | Op::TypePointer | Op::TypeForwardPointer | Op::TypeFunction
        | Op::TypeImage | Op::TypeSampler | Op::TypeSampledImage => OpClass::Type,
        op if is_unsupported_type(op) => OpClass::Type,

        Op::ConstantTrue | Op::ConstantFalse | Op::SpecConstantTrue | Op::SpecConstantFalse | Op::Constant
        | Op::SpecConstant | Op::ConstantComposite | Op::SpecConstantComposite | Op::ConstantNull
        | Op::SpecConstantOp | Op::ConstantSampler => OpClass::Constant,
        Op::Undef => OpClass::Undefined,

        Op::Variable => OpClass::Variable,
        Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain | Op::Load
        | Op::Store | Op::CopyMemory | Op::ArrayLength => OpClass::Memory,
        Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff => OpClass::PointerComparison,
        Op::Select => OpClass::Select,

        Op::FNegate | Op::SNegate | Op::Not | Op::LogicalNot
        | Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod
        | Op::IAdd | Op::ISub | Op::IMul | Op::UDiv | Op::UMod | Op::SDiv | Op::SRem | Op::SMod
        | Op::VectorTimesScalar | Op::MatrixTimesScalar | Op::VectorTimesMatrix | Op::MatrixTimesVector
        | Op::MatrixTimesMatrix | Op::OuterProduct | Op::Dot | Op::Transpose
        | Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor | Op::ShiftLeftLogical | Op::ShiftRightLogical
        | Op::ShiftRightArithmetic | Op::BitReverse | Op::BitCount | Op::BitFieldInsert | Op::BitFieldSExtract
        | Op::BitFieldUExtract | Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended
        | Op::LogicalAnd | Op::LogicalOr | Op::Any | Op::All => OpClass::Arithmetic,

        Op::LogicalEqual | Op::LogicalNotEqual | Op::IEqual | Op::INotEqual
        | Op::ULessThan | Op::ULessThanEqual | Op::UGreaterThan | Op::UGreaterThanEqual
        | Op::SLessThan | Op::SLessThanEqual | Op::SGreaterThan | Op::SGreaterThanEqual
        | Op::FOrdEqual | Op::FOrdNotEqual | Op::LessOrGreater | Op::FOrdLessThan | Op::FOrdLessThanEqual
        | Op::FOrdGreaterThan | Op::FOrdGreaterThanEqual | Op::FUnordEqual | Op::FUnordNotEqual
        | Op::FUnordLessThan | Op::FUnordLessThanEqual | Op::FUnordGreaterThan | Op::FUnordGreaterThanEqual
        | Op::Ordered | Op::Unordered | Op::IsNan | Op::IsInf => OpClass::Comparison,

        Op::DPdx | Op::DPdy | Op::Fwidth | Op::DPdxFine | Op::DPdyFine | Op::FwidthFine
        | Op::DPdxCoarse | Op::DPdyCoarse | Op::FwidthCoarse => OpClass::Derivative,

        Op::ConvertFToU | Op::ConvertUToF | Op::UConvert | Op::ConvertFToS | Op::ConvertSToF | Op::SConvert
        | Op::FConvert | Op::QuantizeToF16 | Op::Bitcast | Op::CopyObject | Op::CopyLogical | Op::ExpectKHR => {
            OpClass::Conversion
        }

        Op::CompositeConstruct | Op::CompositeExtract | Op::CompositeInsert | Op::VectorShuffle
        | Op::VectorExtractDynamic | Op::VectorInsertDynamic => OpClass::Composite,

        Op::SampledImage | Op::Image | Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod
        | Op::ImageSampleDrefImplicitLod | Op::ImageSampleDrefExplicitLod | Op::ImageSampleProjImplicitLod
        | Op::ImageSampleProjExplicitLod | Op::ImageSampleProjDrefImplicitLod | Op::ImageSampleProjDrefExplicitLod
        | Op::ImageGather | Op::ImageDrefGather | Op::ImageFetch | Op::ImageRead | Op::ImageWrite
        | Op::ImageQuerySize | Op::ImageQuerySizeLod | Op::ImageQueryLevels | Op::ImageQuerySamples
        | Op::ImageQueryLod => OpClass::Image,
        op if is_sparse(op) => OpClass::SparseImage,

        Op::ExtInst | Op::ExtInstWithForwardRefsKHR => OpClass::ExtendedSet,
        Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => OpClass::IntegerDot,

        Op::AtomicLoad | Op::AtomicStore | Op::AtomicExchange | Op::AtomicCompareExchange
        | Op::AtomicIIncrement | Op::AtomicIDecrement | Op::AtomicIAdd | Op::AtomicISub
        | Op::AtomicSMin | Op::AtomicUMin | Op::AtomicSMax | Op::AtomicUMax
        | Op::AtomicAnd | Op::AtomicOr | Op::AtomicXor
        | Op::AtomicFAddEXT | Op::AtomicFMinEXT | Op::AtomicFMaxEXT => OpClass::Atomic,

        Op::ControlBarrier | Op::MemoryBarrier | Op::DemoteToHelperInvocation | Op::IsHelperInvocationEXT
        | Op::BeginInvocationInterlockEXT | Op::EndInvocationInterlockEXT => OpClass::Barrier,

        Op::GroupNonUniformElect | Op::GroupNonUniformAll | Op::GroupAll | Op::GroupNonUniformAny | Op::GroupAny
        | Op::SubgroupAllKHR | Op::SubgroupAnyKHR | Op::GroupNonUniformAllEqual | Op::SubgroupAllEqualKHR
        | Op::GroupNonUniformBroadcast | Op::SubgroupReadInvocationKHR | Op::GroupNonUniformBroadcastFirst
        | Op::SubgroupFirstInvocationKHR | Op::GroupNonUniformShuffle | Op::GroupNonUniformShuffleXor
        | Op::GroupNonUniformShuffleUp | Op::GroupNonUniformShuffleDown | Op::GroupNonUniformRotateKHR
        | Op::GroupNonUniformQuadBroadcast | Op::GroupNonUniformQuadSwap | Op::GroupNonUniformQuadAllKHR
        | Op::GroupNonUniformQuadAnyKHR => OpClass::Subgroup,

        Op::SubgroupBallotKHR | Op::GroupNonUniformBallot | Op::GroupNonUniformInverseBallot
        | Op::GroupNonUniformBallotBitExtract | Op::GroupNonUniformBallotBitCount
        | Op::GroupNonUniformBallotFindLSB | Op::GroupNonUniformBallotFindMSB | Op::GroupNonUniformPartitionEXT => {
            OpClass::Ballot
        }

        Op::GroupNonUniformIAdd | Op::GroupIAdd | Op::GroupIAddNonUniformAMD
        | Op::GroupNonUniformFAdd | Op::GroupFAdd | Op::GroupFAddNonUniformAMD
        | Op::GroupNonUniformIMul | Op::GroupIMulKHR | Op::GroupNonUniformFMul | Op::GroupFMulKHR
        | Op::GroupNonUniformSMin | Op::GroupSMin | Op::GroupSMinNonUniformAMD
        | Op::GroupNonUniformUMin | Op::GroupUMin | Op::GroupUMinNonUniformAMD
        | Op::GroupNonUniformFMin | Op::GroupFMin | Op::GroupFMinNonUniformAMD
        | Op::GroupNonUniformSMax | Op::GroupSMax | Op::GroupSMaxNonUniformAMD
        | Op::GroupNonUniformUMax | Op::GroupUMax | Op::GroupUMaxNonUniformAMD
        | Op::GroupNonUniformFMax | Op::GroupFMax | Op::GroupFMaxNonUniformAMD
        | Op::GroupNonUniformBitwiseAnd | Op::GroupBitwiseAndKHR
        | Op::GroupNonUniformLogicalAnd | Op::GroupLogicalAndKHR
        | Op::GroupNonUniformBitwiseOr | Op::GroupBitwiseOrKHR
        | Op::GroupNonUniformLogicalOr | Op::GroupLogicalOrKHR
        | Op::GroupNonUniformBitwiseXor | Op::GroupBitwiseXorKHR
        | Op::GroupNonUniformLogicalXor | Op::GroupLogicalXorKHR => OpClass::Collective,

        Op::FunctionCall => OpClass::Call,
        // `OpImageTexelPointer` is handled by the atomic instruction that uses it.
        Op::Nop | Op::NoLine | Op::Line | Op::AssumeTrueKHR | Op::ImageTexelPointer => OpClass::NoEffect,
        _ => OpClass::Other,
    }
}

/// Whether an opcode declares a type that Vulkan graphics and compute shaders do not have (kernels, ray tracing,
/// cooperative matrices).
fn is_unsupported_type(op: Op) -> bool {
    let kernel_types = Op::TypeOpaque as u32..=Op::TypePipe as u32;
    kernel_types.contains(&(op as u32))
        || matches!(
            op,
            Op::TypePipeStorage
                | Op::TypeNamedBarrier
                | Op::TypeRayQueryKHR
                | Op::TypeAccelerationStructureKHR
                | Op::TypeCooperativeMatrixKHR
                | Op::TypeCooperativeMatrixNV
                | Op::TypeHitObjectNV
        )
}

fn is_sparse(op: Op) -> bool {
    let (first, last) = (
        Op::ImageSparseSampleImplicitLod,
        Op::ImageSparseTexelsResident,
    );
    (first as u32..=last as u32).contains(&(op as u32)) || op == Op::ImageSparseRead
}
