//! The allow-list of instructions, and the operands that each of them writes.
//!
//! An instruction that is not listed here is rejected, so that no system call, interrupt, string instruction, far or
//! indirect jump, or write of a segment or control register passes.

use iced_x86::{Instruction, Mnemonic, Mnemonic as M, Register};

/// The operands that an instruction writes, and its control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstClass {
    /// Its first operand.
    WritesFirst,
    /// No operand: flags at most.
    WritesFlags,
    /// Its first operand; the memory operand is not accessed, only its address is computed.
    LoadsAddress,
    /// Both operands.
    WritesBoth,
    /// The first operand and `rax`.
    CompareExchange,
    /// `rax` and `rdx`.
    WritesRaxRdx,
    /// `rdx`.
    WritesRdx,
    /// The first operand, and the mask: a gather or scatter.
    GatherScatter,
    Jump,
    /// A conditional jump, by the number of its condition.
    JumpIf(u8),
    Call,
    Return,
    Push,
    Pop,
    Nop,
    /// The upper parts of vector registers.
    ZeroUpper,
}

/// Condition codes by their encoding; the lowest bit negates.
pub(super) mod condition {
    pub(crate) const BELOW: u8 = 2;
    pub(crate) const NOT_BELOW: u8 = 3;
    pub(crate) const EQUAL: u8 = 4;
    pub(crate) const NOT_EQUAL: u8 = 5;
    pub(crate) const NOT_ABOVE: u8 = 6;
    pub(crate) const ABOVE: u8 = 7;
    pub(crate) const LESS: u8 = 12;
    pub(crate) const NOT_LESS: u8 = 13;
    pub(crate) const NOT_GREATER: u8 = 14;
    pub(crate) const GREATER: u8 = 15;
}

/// The class of an instruction; `None` if it is not allowed.
pub(super) fn class(instruction: &Instruction) -> Option<InstClass> {
    let class = CLASSES.get(instruction.mnemonic() as usize).copied()?;
    // The form with one operand writes two registers.
    class.filter(|_| instruction.mnemonic() != Mnemonic::Imul || instruction.op_count() >= 2)
}

/// The class of every mnemonic that is allowed, by its number in iced-x86.
static CLASSES: [Option<InstClass>; 2048] = classes();

const fn classes() -> [Option<InstClass>; 2048] {
    let mut classes = [None; 2048];
    let mut at = 0;
    while at < FIRST.len() {
        classes[FIRST[at] as usize] = Some(InstClass::WritesFirst);
        at += 1;
    }
    at = 0;
    while at < VECTOR.len() {
        classes[VECTOR[at] as usize] = Some(InstClass::WritesFirst);
        at += 1;
    }
    at = 0;
    while at < OTHERS.len() {
        classes[OTHERS[at].0 as usize] = Some(OTHERS[at].1);
        at += 1;
    }
    classes
}

/// Instructions of general and mask registers that write their first operand and nothing else.
const FIRST: &[M] = &[
    M::Mov,
    M::Movsxd,
    M::Movzx,
    M::Add,
    M::Sub,
    M::And,
    M::Or,
    M::Xor,
    M::Neg,
    M::Shl,
    M::Shr,
    M::Sar,
    M::Shlx,
    M::Shrx,
    M::Sarx,
    M::Tzcnt,
    M::Blsr,
    M::Imul,
    M::Cmova,
    M::Cmovae,
    M::Cmovb,
    M::Cmovbe,
    M::Cmove,
    M::Cmovne,
    M::Cmovl,
    M::Cmovge,
    M::Cmovle,
    M::Cmovg,
    M::Seta,
    M::Setae,
    M::Setb,
    M::Setbe,
    M::Sete,
    M::Setne,
    M::Setl,
    M::Setge,
    M::Setle,
    M::Setg,
    M::Kmovw,
    M::Kandw,
    M::Kandnw,
    M::Korw,
    M::Kxorw,
    M::Kxnorw,
];

/// Instructions that write other operands, or none.
const OTHERS: &[(M, InstClass)] = &[
    (M::Cmp, InstClass::WritesFlags),
    (M::Test, InstClass::WritesFlags),
    (M::Kortestw, InstClass::WritesFlags),
    (M::Vtestps, InstClass::WritesFlags),
    (M::Lea, InstClass::LoadsAddress),
    (M::Xadd, InstClass::WritesBoth),
    (M::Xchg, InstClass::WritesBoth),
    (M::Cmpxchg, InstClass::CompareExchange),
    (M::Mul, InstClass::WritesRaxRdx),
    (M::Div, InstClass::WritesRaxRdx),
    (M::Idiv, InstClass::WritesRaxRdx),
    (M::Cdq, InstClass::WritesRdx),
    (M::Vgatherdps, InstClass::GatherScatter),
    (M::Vscatterdps, InstClass::GatherScatter),
    (M::Jmp, InstClass::Jump),
    (M::Jb, InstClass::JumpIf(condition::BELOW)),
    (M::Jae, InstClass::JumpIf(condition::NOT_BELOW)),
    (M::Je, InstClass::JumpIf(condition::EQUAL)),
    (M::Jne, InstClass::JumpIf(condition::NOT_EQUAL)),
    (M::Jbe, InstClass::JumpIf(condition::NOT_ABOVE)),
    (M::Ja, InstClass::JumpIf(condition::ABOVE)),
    (M::Jl, InstClass::JumpIf(condition::LESS)),
    (M::Jge, InstClass::JumpIf(condition::NOT_LESS)),
    (M::Jle, InstClass::JumpIf(condition::NOT_GREATER)),
    (M::Jg, InstClass::JumpIf(condition::GREATER)),
    (M::Call, InstClass::Call),
    (M::Ret, InstClass::Return),
    (M::Push, InstClass::Push),
    (M::Pop, InstClass::Pop),
    (M::Nop, InstClass::Nop),
    (M::Vzeroupper, InstClass::ZeroUpper),
];

/// Vector arithmetic, moves and conversions that write their first operand and nothing else.
const VECTOR: &[M] = &[
    M::Vmovaps,
    M::Vmovdqa,
    M::Vmovdqa32,
    M::Vmovdqu,
    M::Vmovdqu32,
    M::Vmovntdq,
    M::Vpmaskmovd,
    M::Vmovd,
    M::Vmovmskps,
    M::Vbroadcastss,
    M::Vpbroadcastd,
    M::Vpextrd,
    M::Vextracti128,
    M::Vextractf128,
    M::Vextracti32x4,
    M::Vextracti64x4,
    M::Vinserti128,
    M::Vinsertf128,
    M::Vinserti64x4,
    M::Vpermd,
    M::Vpermq,
    M::Vpermi2d,
    M::Vpshufb,
    M::Vshufps,
    M::Vunpcklpd,
    M::Vunpckhpd,
    M::Vpunpckldq,
    M::Vpunpckhdq,
    M::Vpackusdw,
    M::Vpblendd,
    M::Vpblendmd,
    M::Vblendvps,
    M::Vpand,
    M::Vpandd,
    M::Vpandn,
    M::Vpor,
    M::Vpord,
    M::Vorps,
    M::Vpxor,
    M::Vpxord,
    M::Vpternlogd,
    M::Vpaddb,
    M::Vpaddd,
    M::Vpsubd,
    M::Vpmulld,
    M::Vpmuludq,
    M::Vpmaddubsw,
    M::Vpmaddwd,
    M::Vpminsd,
    M::Vpminud,
    M::Vpmaxsd,
    M::Vpmaxud,
    M::Vpslld,
    M::Vpsrld,
    M::Vpsrad,
    M::Vpsllq,
    M::Vpsrlq,
    M::Vpsllvd,
    M::Vpsrlvd,
    M::Vpsravd,
    M::Vprold,
    M::Vpopcntd,
    M::Vplzcntd,
    M::Vpcmpeqd,
    M::Vpcmpgtd,
    M::Vpcmpd,
    M::Vpcmpud,
    M::Vptestmd,
    M::Vptestnmd,
    M::Vcmpps,
    M::Vaddss,
    M::Vaddps,
    M::Vsubps,
    M::Vmulps,
    M::Vdivps,
    M::Vminps,
    M::Vmaxps,
    M::Vsqrtps,
    M::Vrsqrtps,
    M::Vrsqrt14ps,
    M::Vscalefps,
    M::Vroundps,
    M::Vrndscaleps,
    M::Vaddpd,
    M::Vsubpd,
    M::Vmulpd,
    M::Vdivpd,
    M::Vsqrtpd,
    M::Vroundpd,
    M::Vrndscalepd,
    M::Vfmadd132ps,
    M::Vfmadd213ps,
    M::Vfmadd231ps,
    M::Vfmsub132ps,
    M::Vfmsub213ps,
    M::Vfmsub231ps,
    M::Vfnmadd132ps,
    M::Vfnmadd213ps,
    M::Vfnmadd231ps,
    M::Vfnmsub132ps,
    M::Vfnmsub213ps,
    M::Vfnmsub231ps,
    M::Vfmadd213pd,
    M::Vcvtdq2ps,
    M::Vcvtudq2ps,
    M::Vcvtps2dq,
    M::Vcvttps2dq,
    M::Vcvttps2udq,
    M::Vcvtps2pd,
    M::Vcvtpd2ps,
    M::Vcvtdq2pd,
    M::Vcvtudq2pd,
    M::Vcvttpd2dq,
    M::Vcvttpd2udq,
    M::Vcvtph2ps,
    M::Vcvtps2ph,
    M::Vpmovdw,
    M::Vpmovzxwd,
    M::Vpmovzxdq,
];

/// The condition of a conditional move.
pub(super) fn move_condition(instruction: &Instruction) -> Option<u8> {
    use condition as c;
    Some(match instruction.mnemonic() {
        M::Cmovb => c::BELOW,
        M::Cmovae => c::NOT_BELOW,
        M::Cmove => c::EQUAL,
        M::Cmovne => c::NOT_EQUAL,
        M::Cmovbe => c::NOT_ABOVE,
        M::Cmova => c::ABOVE,
        M::Cmovl => c::LESS,
        M::Cmovge => c::NOT_LESS,
        M::Cmovle => c::NOT_GREATER,
        M::Cmovg => c::GREATER,
        _ => return None,
    })
}

/// A register by number: general ones from 0, vectors from [`VECTORS`], masks from [`MASKS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reg {
    pub(super) number: u8,
    /// Bytes of the view; 0 of mask registers.
    pub(super) bytes: u8,
}

impl Reg {
    pub(super) fn is_general(self) -> bool {
        self.number < VECTORS
    }

    pub(super) fn is_vector(self) -> bool {
        (VECTORS..MASKS).contains(&self.number)
    }
}

pub(super) const VECTORS: u8 = 16;
pub(super) const MASKS: u8 = 48;
/// Registers of all kinds.
pub(super) const REGISTERS: u8 = 56;

pub(super) const RAX: u8 = 0;
pub(super) const RDX: u8 = 2;
pub(super) const RSP: u8 = 4;
pub(super) const RSI: u8 = 6;
pub(super) const RDI: u8 = 7;
pub(super) const R11: u8 = 11;

/// The registers that code may name, by their number in iced-x86.
static TABLE: [Option<Reg>; 256] = table();

const fn table() -> [Option<Reg>; 256] {
    let mut table = [None; 256];
    let ranges = [
        (Register::RAX, 16, 0, 8),
        (Register::EAX, 16, 0, 4),
        (Register::AX, 16, 0, 2),
        // The only byte register: the operand of `setcc`.
        (Register::R11L, 1, R11, 1),
        (Register::XMM0, 32, VECTORS, 16),
        (Register::YMM0, 32, VECTORS, 32),
        (Register::ZMM0, 32, VECTORS, 64),
        (Register::K0, 8, MASKS, 0),
    ];
    let mut range = 0;
    while range < ranges.len() {
        let (first, count, base, bytes) = ranges[range];
        let mut at = 0;
        while at < count {
            let number = base + at as u8;
            table[first as usize + at] = Some(Reg { number, bytes });
            at += 1;
        }
        range += 1;
    }
    table
}

/// A register that code may name.
pub(super) fn reg(register: Register) -> Option<Reg> {
    TABLE.get(register as usize).copied().flatten()
}

/// The registers that an instruction writes, as bits by number.
pub(super) fn written(instruction: &Instruction, class: InstClass) -> u64 {
    let bit = |register: Register| reg(register).map_or(0, |register| 1 << register.number);
    let first = bit(instruction.op0_register());
    match class {
        InstClass::WritesFirst | InstClass::LoadsAddress | InstClass::Pop => first,
        InstClass::WritesBoth => first | bit(instruction.op1_register()),
        InstClass::GatherScatter => {
            let mask = match instruction.op_count() {
                3 => bit(instruction.op2_register()),
                _ => bit(instruction.op_mask()),
            };
            first | mask
        }
        InstClass::CompareExchange => first | 1 << RAX,
        InstClass::WritesRaxRdx => 1 << RAX | 1 << RDX,
        InstClass::WritesRdx => 1 << RDX,
        InstClass::WritesFlags
        | InstClass::Jump
        | InstClass::JumpIf(_)
        | InstClass::Call
        | InstClass::Return
        | InstClass::Push
        | InstClass::Nop
        | InstClass::ZeroUpper => 0,
    }
}

/// Properties of an instruction that several rules use.
#[derive(Clone, Copy, Debug)]
pub(super) struct InstInfo {
    pub(super) class: InstClass,
    /// The position of the memory operand.
    pub(super) memory: Option<u8>,
    /// The registers that it writes, as bits by number.
    pub(super) writes: u64,
}
