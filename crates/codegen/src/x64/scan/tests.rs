//! The scan accepts what the code generator makes, and rejects mutations of it: each is encoded in place of an
//! instruction of the same length.

use anywarp_lanes::ir::Function;
use anywarp_lanes::pass::{self, PassOptions};
use anywarp_lanes::work::Meter;
use anywarp_lanes::{random, text};
use iced_x86::{Code, Decoder, DecoderOptions, Encoder, Instruction, Mnemonic, OpKind, Register};

use super::class::{InstClass, class, move_condition, reg};
use super::{ScanError, scan};
use crate::backend::Backend as _;
use crate::block_order::BlockOrder;
use crate::regalloc;
use crate::x64::EmittedCode;
use crate::x64::instruction_set::InstructionSet;

const INSTRUCTION_SETS: [(InstructionSet, u32); 2] = [
    (InstructionSet::Avx512 { counts_bits: false }, 16),
    (InstructionSet::Avx2, 8),
];

/// Accesses of every kind; `LANES` stands for the number of lanes, `PATTERN` for one word per lane.
const ACCESSES: &str = "
kernel lanes=LANES frame=1024 barriers=0
p0 = [PATTERN]
b0:
  v0 = field subgroup
  v1 = base buffer 0
  v2 = base buffer 1
  v3 = base frame 256
  v4 = length 0
  v5 = length 1
  v6 = ltu v0, v4
  v7 = advanceorzeros v1, v0, v6
  v8 = loadword +0 v7
  v9 = advance v1, v8
  v10 = loadsplat +3 v9
  v11 = loadpointer +8 v2
  v12 = fromballot v8
  v13 = loadrow +5 v1, v8
  v14 = loadrow +0 v1, v8, limit v4
  v15 = loadrow +2 v1, v8, mask v12
  v16 = loadrow +0 v1, v0, limit v5, mask v12
  v17 = word 7
  v18 = loadrow +0 v1, v17, limit v4
  v19 = word 100
  v20 = loadrow +0 v1, v8, limit v19
  v21 = vadd v13, v14
  v22 = vadd v15, v16
  v23 = vadd v18, v20
  v24 = vxor v21, v10
  v25 = masked.vltu v24, v22, mask v12
  v26 = gather +1 v11, v24, mask v25
  v27 = pattern p0
  v28 = broadcast v8
  v29 = vadd v28, v27
  v30 = gather +3 v1, v29, mask v25
  v44 = vselect v12, v28, v29
  v45 = gather +2 v1, v44, mask v25
  v46 = vselect v12, v28, v10
  v47 = gather +1 v1, v46, mask v25
  scatter +1 v1, v44, v26, mask v25
  scatter +2 v1, v24, v26, mask v25
  scatterhalves +3 v1, v24, v26, mask v25
  v31 = atomic.add threads +1 v1, v24, v26, mask v25
  v32 = atomic.maxs thread +1 v1, v24, v26, mask v25
  v33 = atomic.compareexchange threads +2 v1, v24, v26, v30, mask v25
  atomic64.add threads +4 v1, v3, v24, v31, v32, mask v25
  storerow +1 v1, v8, v33, limit v4
  storerow +1 v1, v8, v33, mask v12
  storerownontemporal +0 v1, v8, v23, limit v4
  framestore 64 v33
  framestore 8 v7
  framestore 16 v8
  framestoreat 512 v17, v22
  branch v6, b1(v7), b2
b1(v34: ptr):
  v35 = frameload ptr 8
  v36 = frameload word 16
  v37 = frameload lanes 64
  v38 = frameloadat lanes 512 v17
  v39 = vadd v37, v38
  v40 = loadrow +0 v34, v36, limit v4
  v41 = vadd v40, v39
  storerow +0 v35, v36, v41, limit v5
  call 1 everything v36
  v42 = loadword +1 v34
  v43 = ltu v42, v8
  branch v43, b1(v35), b2
b2:
  return finished
";

fn accesses(lanes: u32) -> Function {
    let pattern: Vec<_> = (0..lanes).map(|lane| (lane + 1).to_string()).collect();
    let source = ACCESSES
        .replace("LANES", &lanes.to_string())
        .replace("PATTERN", &pattern.join(", "));
    text::parse(source.trim_start()).unwrap_or_else(|error| panic!("{error}"))
}

fn random_function(seed: u64, lanes: u32) -> Function {
    let (mut function, mut callees) = random::functions(seed, lanes, 80);
    let mut all: Vec<_> = callees.iter_mut().map(Some).collect();
    pass::run_kernel(&mut function, &mut all, &PassOptions::default());
    function
}

/// Compiles a function up to its bytes, and passes them with the inputs of the scan.
fn with_code(
    function: &Function,
    isa: InstructionSet,
    run: impl FnOnce(&mut EmittedCode, &dyn Fn(&EmittedCode) -> Result<(), ScanError>),
) {
    let block_order = BlockOrder::new(function);
    let selection = isa.select(function, &block_order).unwrap();
    let (mut memory, meter) = (regalloc2::Ctx::default(), Meter::unlimited());
    let (allocation, _) =
        regalloc::allocate(&selection.machine, &isa.registers(), &mut memory, &meter).unwrap();
    let mut bytes = isa.emit(&selection, &allocation).unwrap();
    run(&mut bytes, &|bytes| {
        scan(function, &block_order, &selection, &allocation, bytes)
    });
}

fn instructions(bytes: &EmittedCode) -> Vec<Instruction> {
    let code = &bytes.bytes[bytes.entry..];
    let decoder = Decoder::with_ip(64, code, bytes.entry as u64, DecoderOptions::NONE);
    decoder.into_iter().collect()
}

/// The encoding of a changed instruction if its length is unchanged.
fn encoded(changed: &Instruction, before: &Instruction) -> Option<Vec<u8>> {
    let mut encoder = Encoder::new(64);
    encoder.encode(changed, before.ip()).ok()?;
    Some(encoder.take_buffer()).filter(|bytes| bytes.len() == before.len())
}

/// Applies every mutation to every instruction of some functions; each must be rejected.
fn reject_all(mutate: impl Fn(&Instruction, &EmittedCode) -> Vec<Vec<u8>>) {
    for (isa, lanes) in INSTRUCTION_SETS {
        let functions = (0..6).map(|seed| random_function(seed, lanes));
        let mut tried = 0;
        for function in std::iter::once(accesses(lanes)).chain(functions) {
            with_code(&function, isa, |bytes, scan| {
                scan(bytes).unwrap_or_else(|error| panic!("{error}\n{function}"));
                for instruction in instructions(bytes) {
                    for mutant in mutate(&instruction, bytes) {
                        tried += usize::from(reject(bytes, scan, &instruction, &mutant));
                    }
                }
            });
        }
        assert!(tried > 20, "{tried} mutations of {isa:?}");
    }
}

/// Applies one mutation if it changes something; returns whether it did. It must be rejected.
fn reject(
    bytes: &mut EmittedCode,
    scan: &dyn Fn(&EmittedCode) -> Result<(), ScanError>,
    instruction: &Instruction,
    mutant: &[u8],
) -> bool {
    let range = instruction.ip() as usize..instruction.ip() as usize + instruction.len();
    let before = bytes.bytes[range.clone()].to_vec();
    if mutant == before {
        return false;
    }
    bytes.bytes[range.clone()].copy_from_slice(mutant);
    let result = scan(bytes);
    let text = Decoder::with_ip(64, mutant, instruction.ip(), DecoderOptions::NONE)
        .decode()
        .to_string();
    bytes.bytes[range].copy_from_slice(&before);
    assert!(
        result.is_err(),
        "`{instruction}` became `{text}` at {:#x}\n{}",
        instruction.ip(),
        INSTRUCTION_SETS[0].0.disassemble(&bytes.bytes, bytes.entry)
    );
    true
}

/// Whether an instruction accesses a memory operand other than constants and scratch memory of the group.
fn is_access(instruction: &Instruction) -> bool {
    let is_kept = instruction.memory_displacement64() < 1024;
    memory_operand(instruction).is_some()
        && !matches!(instruction.mnemonic(), Mnemonic::Lea | Mnemonic::Nop)
        && instruction.memory_base() != Register::RIP
        && (instruction.memory_base() != Register::RSI || is_kept)
}

/// The position of the memory operand.
fn memory_operand(instruction: &Instruction) -> Option<u32> {
    (0..instruction.op_count()).find(|at| instruction.op_kind(*at) == OpKind::Memory)
}

fn changed(instruction: &Instruction, change: impl FnOnce(&mut Instruction)) -> Option<Vec<u8>> {
    let mut mutant = *instruction;
    change(&mut mutant);
    encoded(&mutant, instruction)
}

#[test]
fn code_of_random_functions_is_accepted() {
    for (isa, lanes) in INSTRUCTION_SETS {
        for seed in 0..60 {
            let function = random_function(seed, lanes);
            with_code(&function, isa, |bytes, scan| {
                scan(bytes).unwrap_or_else(|error| panic!("{error}\n{function}"));
            });
        }
    }
}

#[test]
fn another_displacement_is_rejected() {
    reject_all(|inst, _| {
        let is_address = inst.code() == Code::Lea_r64_m;
        // The allocator moves some values that are not read afterwards.
        let moves = [Mnemonic::Mov, Mnemonic::Vmovaps, Mnemonic::Kmovw];
        let is_spill = inst.memory_base() == Register::RSP && moves.contains(&inst.mnemonic());
        if !is_access(inst) && !is_address || is_spill || inst.memory_displ_size() == 0 {
            return Vec::new();
        }
        // Beyond the two rows that some instructions have.
        let far = 3 * (inst.memory_size().size() as u64).max(4);
        let at = inst.memory_displacement64();
        let moved = [at.wrapping_add(far), at.wrapping_sub(far)];
        let mutants = moved.map(|at| changed(inst, |copy| copy.set_memory_displacement64(at)));
        mutants.into_iter().flatten().collect()
    });
}

#[test]
fn another_base_is_rejected() {
    reject_all(|inst, _| {
        if !is_access(inst) || inst.memory_base() == Register::R11 {
            return Vec::new();
        }
        let bases = [Register::RDI, Register::RSI, Register::R11, Register::RBP];
        let others = bases.into_iter().filter(|base| *base != inst.memory_base());
        let mutants = others.map(|base| changed(inst, |copy| copy.set_memory_base(base)));
        mutants.flatten().collect()
    });
}

#[test]
fn another_index_or_scale_is_rejected() {
    reject_all(|inst, _| {
        if !is_access(inst) || inst.memory_index() == Register::None {
            return Vec::new();
        }
        // The neighboring register, which has an encoding of the same length.
        let neighbor = match reg(inst.memory_index()).map(|register| register.number % 2) {
            Some(0) => inst.memory_index() + 1,
            _ => inst.memory_index() - 1,
        };
        let index = match neighbor {
            Register::RSP => Register::RAX,
            other => other,
        };
        let mutants = [
            changed(inst, |copy| copy.set_memory_index(index)),
            changed(inst, |copy| copy.set_memory_index_scale(8)),
        ];
        mutants.into_iter().flatten().collect()
    });
}

#[test]
fn a_mask_that_is_dropped_or_exchanged_is_rejected() {
    reject_all(|inst, _| {
        if !is_access(inst) {
            return Vec::new();
        }
        match inst.mnemonic() {
            Mnemonic::Vmovdqu32 | Mnemonic::Vgatherdps | Mnemonic::Vscatterdps
                if inst.op_mask() != Register::None =>
            {
                let others = [Register::None, Register::K6, Register::K1]
                    .into_iter()
                    .filter(|mask| *mask != inst.op_mask());
                let mutant = |mask| {
                    changed(inst, |copy| {
                        copy.set_op_mask(mask);
                        copy.set_zeroing_masking(copy.zeroing_masking() && mask != Register::None);
                    })
                };
                others.filter_map(mutant).collect()
            }
            Mnemonic::Vpmaskmovd => {
                let other = match inst.op1_register() {
                    Register::YMM14 => Register::YMM13,
                    _ => Register::YMM14,
                };
                changed(inst, |copy| copy.set_op1_register(other))
                    .into_iter()
                    .collect()
            }
            _ => Vec::new(),
        }
    });
}

#[test]
fn a_wider_access_is_rejected() {
    reject_all(|inst, bytes| {
        let mut mutants = Vec::new();
        let at = inst.ip() as usize;
        let before = &bytes.bytes[at..at + inst.len()];
        let is_move = inst.mnemonic() == Mnemonic::Mov && before[0] & 0xf0 == 0x40;
        if is_access(inst) && is_move && inst.memory_size().size() == 4 {
            let mut wide = before.to_vec();
            wide[0] |= 8;
            mutants.push(wide);
        }
        if is_access(inst) && inst.is_broadcast() {
            mutants.extend(changed(inst, |copy| copy.set_is_broadcast(false)));
        }
        mutants
    });
}

#[test]
fn a_load_that_became_a_store_is_rejected() {
    reject_all(|inst, _| {
        let code = match inst.code() {
            Code::Mov_r32_rm32 => Code::Mov_rm32_r32,
            Code::Mov_r64_rm64 => Code::Mov_rm64_r64,
            Code::VEX_Vmovdqu_ymm_ymmm256 => Code::VEX_Vmovdqu_ymmm256_ymm,
            Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512 => Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm,
            _ => return Vec::new(),
        };
        // Atomic instructions with an index in a register may store where they load.
        let is_word = inst.mnemonic() == Mnemonic::Mov;
        let is_atomic = is_word && inst.memory_index() != Register::None;
        // A register may already hold the value that is reloaded from its slot.
        let is_slot = inst.memory_base() == Register::RSP;
        if !is_access(inst) || inst.op1_kind() != OpKind::Memory || is_atomic || is_slot {
            return Vec::new();
        }
        let register = inst.op0_register();
        let mutant = changed(inst, |copy| {
            copy.set_code(code);
            copy.set_op0_kind(OpKind::Memory);
            copy.set_op1_kind(OpKind::Register);
            copy.set_op0_register(Register::None);
            copy.set_op1_register(register);
            copy.set_zeroing_masking(false);
        });
        mutant.into_iter().collect()
    });
}

#[test]
fn constants_outside_the_pool_are_rejected() {
    reject_all(|inst, bytes| {
        if memory_operand(inst).is_none() || inst.memory_base() != Register::RIP {
            return Vec::new();
        }
        let places = [bytes.entry as u64, bytes.entry as u64 - 1, u64::MAX - 63];
        let mutants = places.map(|at| changed(inst, |copy| copy.set_memory_displacement64(at)));
        mutants.into_iter().flatten().collect()
    });
}

#[test]
fn jumps_elsewhere_are_rejected() {
    reject_all(|inst, bytes| {
        if inst.op0_kind() != OpKind::NearBranch64 {
            return Vec::new();
        }
        let all = instructions(bytes);
        let target = inst.near_branch_target();
        let inside = target + 1;
        let is_inside = all.binary_search_by_key(&inside, |inst| inst.ip()).is_err();
        let end = bytes.bytes.len() as u64;
        let places = [bytes.entry as u64, 0, end, end + 64]
            .into_iter()
            .chain(is_inside.then_some(inside));
        let mutants = places.map(|at| changed(inst, |copy| copy.set_near_branch64(at)));
        mutants.flatten().collect()
    });
}

#[test]
fn instructions_beyond_the_allowed_ones_are_rejected() {
    // A system call, a breakpoint, an interrupt, an indirect jump and call, a return, a stack switch, a write of a
    // segment register, and others.
    let others: [&[u8]; 8] = [
        &[0x0f, 0x05],
        &[0xcc],
        &[0xcd, 0x80],
        &[0xff, 0xe0],
        &[0xff, 0xd0],
        &[0xc3],
        &[0x94],
        &[0x8e, 0xd8],
    ];
    reject_all(|inst, bytes| {
        let at = inst.ip() as usize;
        let is_end = bytes.bytes[at] == 0xc3;
        let fitting = others
            .iter()
            .filter(|_| !is_end)
            .filter(|other| other.len() <= inst.len());
        let padded = fitting.map(|other| {
            let mut mutant = vec![0x90; inst.len()];
            mutant[..other.len()].copy_from_slice(other);
            mutant
        });
        padded.collect()
    });
}

#[test]
fn fixed_registers_are_not_written() {
    reject_all(|inst, _| {
        if class(inst) != Some(InstClass::WritesFirst) {
            return Vec::new();
        }
        let into = inst.op0_register();
        let is_general =
            |first: Register| (first as u32..first as u32 + 16).contains(&(into as u32));
        let others = if is_general(Register::RAX) {
            [Register::RDI, Register::RSI, Register::RSP]
        } else if is_general(Register::EAX) {
            [Register::EDI, Register::ESI, Register::ESP]
        } else {
            return Vec::new();
        };
        let others = others.into_iter().filter(|other| *other != into);
        let mutants = others.map(|other| changed(inst, |copy| copy.set_op0_register(other)));
        mutants.flatten().collect()
    });
}

/// The conditions of branches, and of limits of rows.
#[test]
fn other_conditions_and_limits_are_rejected() {
    let source = "kernel lanes=LANES frame=0 barriers=0
        b0:
          v0 = field subgroup
          v1 = base buffer 0
          v2 = length 0
          v3 = word 1000
          v4 = word 9
          v5 = loadrow +0 v1, v0, limit v2
          v6 = loadrow +0 v1, v0, limit v3
          v7 = loadrow +0 v1, v4, limit v2
          v8 = fromballot v0
          v9 = vadd v5, v6
          storerow +0 v1, v0, v9, limit v2, mask v8
          v10 = ltu v0, v2
          v11 = advanceorzeros v1, v0, v10
          v12 = loadsplat +0 v11
          branch v10, b1(v12), b2
        b1(v13: lanes):
          v14 = vadd v13, v7
          storerow +0 v1, v0, v14, limit v2
          jump b2
        b2:
          v15 = any v8
          branch v15, b0, b3
        b3:
          return finished";
    for (isa, lanes) in INSTRUCTION_SETS {
        let source = source.replace("LANES", &lanes.to_string());
        let function = text::parse(&source).unwrap_or_else(|error| panic!("{error}"));
        let mut tried = 0;
        with_code(&function, isa, |bytes, scan| {
            for inst in instructions(bytes) {
                let at = inst.ip() as usize;
                let mut mutant = bytes.bytes[at..at + inst.len()].to_vec();
                match inst.mnemonic() {
                    Mnemonic::Jmp | Mnemonic::Nop => continue,
                    Mnemonic::Cmp | Mnemonic::Lea | Mnemonic::Vpcmpud => {
                        // The last byte belongs to an immediate or a displacement, or encodes the register that is
                        // read.
                        let last = mutant.len() - 1;
                        mutant[last] ^= 1;
                    }
                    _ if inst.op0_kind() == OpKind::NearBranch64 => mutant[1] ^= 1,
                    _ if move_condition(&inst).is_some() => {
                        let escape = mutant.iter().position(|byte| *byte == 0x0f).unwrap();
                        mutant[escape + 1] ^= 1;
                    }
                    _ => continue,
                }
                tried += usize::from(reject(bytes, scan, &inst, &mutant));
            }
        });
        assert!(tried > 10, "{tried} mutations of {isa:?}");
    }
}

/// Values of every type that live across a call: the slots that they are stored to and loaded from.
#[test]
fn exchanged_stack_slots_are_rejected() {
    for (isa, lanes) in INSTRUCTION_SETS {
        let mut source = format!("kernel lanes={lanes} frame=64 barriers=0\nb0:\n");
        source += "v0 = base buffer 0\n v1 = length 0\n v2 = field subgroup\n";
        for number in 0..40 {
            let (lanes, word) = (3 + 2 * number, 4 + 2 * number);
            source += &format!("v{lanes} = loadrow +{number} v0, v2, limit v1\n");
            source += &format!("v{word} = loadword +{number} v0\n");
        }
        source += "call 0 everything v2\n";
        for number in 0..40 {
            let (lanes, word) = (3 + 2 * number, 4 + 2 * number);
            source += &format!("storerow +0 v0, v{word}, v{lanes}, limit v1\n");
        }
        let function = text::parse(&(source + "return finished\n")).unwrap();
        let mut tried = 0;
        with_code(&function, isa, |bytes, scan| {
            scan(bytes).unwrap();
            for inst in instructions(bytes) {
                let is_slot = inst.memory_base() == Register::RSP && inst.memory_displ_size() > 0;
                let at = inst.memory_displacement64() as i64;
                for other in [at - 64, at - 8, at + 8, at + 64] {
                    let move_slot =
                        |copy: &mut Instruction| copy.set_memory_displacement64(other as u64);
                    if let Some(mutant) = changed(&inst, move_slot).filter(|_| is_slot) {
                        tried += usize::from(reject(bytes, scan, &inst, &mutant));
                    }
                }
            }
        });
        assert!(tried > 100, "{tried} mutations of {isa:?}");
    }
}

#[test]
fn errors_name_the_instruction_and_the_rule() {
    let (isa, lanes) = INSTRUCTION_SETS[0];
    with_code(&accesses(lanes), isa, |bytes, scan| {
        let entry = bytes.entry;
        let ret = instructions(bytes)
            .into_iter()
            .find(|inst| inst.mnemonic() == Mnemonic::Ret)
            .unwrap();
        bytes.bytes[ret.ip() as usize] = 0xcc;
        let error = scan(bytes).unwrap_err();
        assert_eq!(error.rule(), "the instruction is allowed");
        let expected = format!(
            "the scan of machine code rejects `int3` at {:#x}: the instruction is allowed",
            ret.ip()
        );
        assert_eq!(error.to_string(), expected);
        assert!(ret.ip() as usize > entry);
    });
}
