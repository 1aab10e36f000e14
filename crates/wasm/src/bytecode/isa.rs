//! The instruction set.
//!
//! One table defines each opcode's number, mnemonic, [`Format`] and operand widths. The emitter,
//! the assembler, the verifier, the virtual machine and the GPU interpreter are all driven by it.
//!
//! It is a register machine. A register is a *slot* of 32 bits in the current frame. `i32`, `f32`
//! and references take one slot; `i64` and `f64` two, low word first. Operands `d`, `x`, `y` and
//! `z` name slots 0 to 255; wide operands name their first slot. Floats are stored as their bits. A
//! reference is 0 for null, else an index plus 1: of a function in the program, or opaque to us for
//! host references.
//!
//! An instruction is one word, `opcode | a << 8 | b << 16 | c << 24`, followed by the words of its
//! format.

/// The encoding of an instruction: how its bytes and the words after the first are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// No operands.
    None,
    /// `a` is written.
    D,
    /// `a` is written, `b` is read.
    Dx,
    /// `a` is written, `b` and `c` are read.
    Dxy,
    /// As `Dxy`; the next word's low byte is a third slot that is read.
    Dxyz,
    /// `a` is written, `b` is read; the next word is a constant.
    Dxi,
    /// `a` is written; the next word is a constant.
    Di,
    /// `a` is written; the next two words are a constant, low first.
    Dii,
    /// `a` is written; `b | c << 8` is an index (a slot of the frame, a global's slot).
    Dn,
    /// `a` is read; `b | c << 8` is such an index.
    Xn,
    /// `a` is read.
    X,
    /// `a` and `b` are read.
    Xy,
    /// The next word is a jump target.
    T,
    /// `a` is read; the next word is a jump target.
    Xt,
    /// `a` and `b` are read; the next word is a jump target.
    Xyt,
    /// `a` is read; the next word is a constant, the one after it a jump target.
    Xit,
    /// `a` is read; the next word is a count, followed by that many targets and the default target,
    /// which is taken if `x` is not below the count.
    Table,
    /// `a` is written, `b` is an address that is read, `c` a memory; the next word is an offset.
    Load,
    /// `a` is an address that is read, `b` a value that is read, `c` a memory; the next word is an
    /// offset.
    Store,
    /// `a | b << 8 | c << 16` is the new frame's first slot in this one; the next word is a function.
    Call,
    /// As `Call`, but the next word is a type index. The low byte of the word after it is the slot
    /// of the element index, its second byte the table.
    CallIndirect,
    /// Destination, source (or value) and count: three slots that are read and updated. The low
    /// half of the next word is the memory or table that is written, its high half the memory,
    /// table or segment that is read.
    Bulk,
    /// `a` is written; `b` is read, and `c` where its width is not 0; the next word is a memory or a
    /// table.
    DxyTo,
    /// `a` and `b` are read; the next word is a table.
    XyTo,
    /// `b | c << 8` is the number of a segment.
    Segment,
    /// `a` is the first argument slot, and the result slot; `b | c << 8` is a [`Host`] function.
    ///
    /// [`Host`]: super::Host
    Host,
}

/// Declares [`Op`] from the table.
macro_rules! instructions {
    ($($number:literal $op:ident $name:literal $format:ident $widths:expr;)*) => {
        /// An opcode.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "the mnemonic says it: most are WebAssembly's own")]
        pub enum Op { $($op = $number,)* }

        impl Op {
            /// All opcodes, by number.
            pub const ALL: &[Self] = &[$(Self::$op,)*];

            /// The opcode with a number, if there is one.
            pub const fn from_number(number: u8) -> Option<Self> {
                match number { $($number => Some(Self::$op),)* _ => None }
            }

            /// The mnemonic.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$op => $name,)* }
            }

            /// The encoding of the instruction.
            pub const fn format(self) -> Format {
                match self { $(Self::$op => Format::$format,)* }
            }

            /// How many slots the operands in bytes `a`, `b` and `c` take; 0 if the byte is not a
            /// slot.
            pub const fn widths(self) -> [u8; 3] {
                match self { $(Self::$op => $widths,)* }
            }
        }
    };
}

instructions! {
    // Control. Word 0 of every program's code is `end`.
    0x00 End "end" None [0, 0, 0];
    0x01 Nop "nop" None [0, 0, 0];
    0x02 Unreachable "unreachable" None [0, 0, 0];
    0x03 Jump "jump" T [0, 0, 0];
    0x04 BrIf "br_if" Xt [1, 0, 0];
    0x05 BrIfZero "br_if_zero" Xt [1, 0, 0];
    0x06 BrTable "br_table" Table [1, 0, 0];
    0x07 Call "call" Call [0, 0, 0];
    0x08 CallIndirect "call_indirect" CallIndirect [0, 0, 0];
    0x09 Return "return" None [0, 0, 0];
    // Moves. `far` slots are those above 255, which an operand cannot name.
    0x0a Move "move" Dx [1, 1, 0];
    0x0b Move64 "move64" Dx [2, 2, 0];
    0x0c Const "const" Di [1, 0, 0];
    0x0d Const64 "const64" Dii [2, 0, 0];
    0x0e Select "select" Dxyz [1, 1, 1];
    0x0f Select64 "select64" Dxyz [2, 2, 2];
    0x10 FarGet "far_get" Dn [1, 0, 0];
    0x11 FarSet "far_set" Xn [1, 0, 0];
    0x12 GlobalGet "global.get" Dn [1, 0, 0];
    0x13 GlobalSet "global.set" Xn [1, 0, 0];
    0x14 GlobalGet64 "global.get64" Dn [2, 0, 0];
    0x15 GlobalSet64 "global.set64" Xn [2, 0, 0];
    // Loads and stores.
    0x16 I32Load "i32.load" Load [1, 1, 0];
    0x17 I32Load8S "i32.load8_s" Load [1, 1, 0];
    0x18 I32Load8U "i32.load8_u" Load [1, 1, 0];
    0x19 I32Load16S "i32.load16_s" Load [1, 1, 0];
    0x1a I32Load16U "i32.load16_u" Load [1, 1, 0];
    0x1b I64Load "i64.load" Load [2, 1, 0];
    0x1c I64Load8S "i64.load8_s" Load [2, 1, 0];
    0x1d I64Load8U "i64.load8_u" Load [2, 1, 0];
    0x1e I64Load16S "i64.load16_s" Load [2, 1, 0];
    0x1f I64Load16U "i64.load16_u" Load [2, 1, 0];
    0x20 I64Load32S "i64.load32_s" Load [2, 1, 0];
    0x21 I64Load32U "i64.load32_u" Load [2, 1, 0];
    0x22 Store8 "store8" Store [1, 1, 0];
    0x23 Store16 "store16" Store [1, 1, 0];
    0x24 Store32 "store32" Store [1, 1, 0];
    0x25 Store64 "store64" Store [1, 2, 0];
    // Memories and tables. Instructions of format `Bulk` update their operands as they go, so that
    // they can be suspended and resumed.
    0x26 MemorySize "memory.size" Dn [1, 0, 0];
    0x27 MemoryGrow "memory.grow" DxyTo [1, 1, 0];
    0x28 MemoryFill "memory.fill" Bulk [1, 1, 1];
    0x29 MemoryCopy "memory.copy" Bulk [1, 1, 1];
    0x2a MemoryInit "memory.init" Bulk [1, 1, 1];
    0x2b DataDrop "data.drop" Segment [0, 0, 0];
    0x2c TableSize "table.size" Dn [1, 0, 0];
    0x2d TableGrow "table.grow" DxyTo [1, 1, 1];
    0x2e TableGet "table.get" DxyTo [1, 1, 0];
    0x2f TableSet "table.set" XyTo [1, 1, 0];
    0x30 TableFill "table.fill" Bulk [1, 1, 1];
    0x31 TableCopy "table.copy" Bulk [1, 1, 1];
    0x32 TableInit "table.init" Bulk [1, 1, 1];
    0x33 ElemDrop "elem.drop" Segment [0, 0, 0];
    // Conversions to integers. Wrapping is a move of the low slot, and reinterpreting a move.
    0x34 I64ExtendI32S "i64.extend_i32_s" Dx [2, 1, 0];
    0x35 I64ExtendI32U "i64.extend_i32_u" Dx [2, 1, 0];
    0x36 I32TruncF32S "i32.trunc_f32_s" Dx [1, 1, 0];
    0x37 I32TruncF32U "i32.trunc_f32_u" Dx [1, 1, 0];
    0x38 I32TruncF64S "i32.trunc_f64_s" Dx [1, 2, 0];
    0x39 I32TruncF64U "i32.trunc_f64_u" Dx [1, 2, 0];
    0x3a I64TruncF32S "i64.trunc_f32_s" Dx [2, 1, 0];
    0x3b I64TruncF32U "i64.trunc_f32_u" Dx [2, 1, 0];
    0x3c I64TruncF64S "i64.trunc_f64_s" Dx [2, 2, 0];
    0x3d I64TruncF64U "i64.trunc_f64_u" Dx [2, 2, 0];
    0x3e I32TruncSatF32S "i32.trunc_sat_f32_s" Dx [1, 1, 0];
    0x3f I32TruncSatF32U "i32.trunc_sat_f32_u" Dx [1, 1, 0];
    0x40 I32TruncSatF64S "i32.trunc_sat_f64_s" Dx [1, 2, 0];
    0x41 I32TruncSatF64U "i32.trunc_sat_f64_u" Dx [1, 2, 0];
    0x42 I64TruncSatF32S "i64.trunc_sat_f32_s" Dx [2, 1, 0];
    0x43 I64TruncSatF32U "i64.trunc_sat_f32_u" Dx [2, 1, 0];
    0x44 I64TruncSatF64S "i64.trunc_sat_f64_s" Dx [2, 2, 0];
    0x45 I64TruncSatF64U "i64.trunc_sat_f64_u" Dx [2, 2, 0];
    // Host functions. `host` calls those without an opcode of their own.
    0x4f Host "host" Host [0, 0, 0];
    0x50 Gid "gid" D [1, 0, 0];
    0x51 Time "time" D [1, 0, 0];
    0x52 StOut "st_out" Xy [1, 4, 0];
    0x53 LdIn "ld_in" Dx [1, 1, 0];
    0x54 AtomicAdd "atomic_add" Dxy [1, 1, 1];
    // i32.
    0x55 I32Eqz "i32.eqz" Dx [1, 1, 0];
    0x56 I32Clz "i32.clz" Dx [1, 1, 0];
    0x57 I32Ctz "i32.ctz" Dx [1, 1, 0];
    0x58 I32Popcnt "i32.popcnt" Dx [1, 1, 0];
    0x59 I32Extend8S "i32.extend8_s" Dx [1, 1, 0];
    0x5a I32Extend16S "i32.extend16_s" Dx [1, 1, 0];
    0x5b I32Add "i32.add" Dxy [1, 1, 1];
    0x5c I32Sub "i32.sub" Dxy [1, 1, 1];
    0x5d I32Mul "i32.mul" Dxy [1, 1, 1];
    0x5e I32DivS "i32.div_s" Dxy [1, 1, 1];
    0x5f I32DivU "i32.div_u" Dxy [1, 1, 1];
    0x60 I32RemS "i32.rem_s" Dxy [1, 1, 1];
    0x61 I32RemU "i32.rem_u" Dxy [1, 1, 1];
    0x62 I32And "i32.and" Dxy [1, 1, 1];
    0x63 I32Or "i32.or" Dxy [1, 1, 1];
    0x64 I32Xor "i32.xor" Dxy [1, 1, 1];
    0x65 I32Shl "i32.shl" Dxy [1, 1, 1];
    0x66 I32ShrS "i32.shr_s" Dxy [1, 1, 1];
    0x67 I32ShrU "i32.shr_u" Dxy [1, 1, 1];
    0x68 I32Rotl "i32.rotl" Dxy [1, 1, 1];
    0x69 I32Rotr "i32.rotr" Dxy [1, 1, 1];
    0x6a I32Eq "i32.eq" Dxy [1, 1, 1];
    0x6b I32Ne "i32.ne" Dxy [1, 1, 1];
    0x6c I32LtS "i32.lt_s" Dxy [1, 1, 1];
    0x6d I32LtU "i32.lt_u" Dxy [1, 1, 1];
    0x6e I32GtS "i32.gt_s" Dxy [1, 1, 1];
    0x6f I32GtU "i32.gt_u" Dxy [1, 1, 1];
    0x70 I32LeS "i32.le_s" Dxy [1, 1, 1];
    0x71 I32LeU "i32.le_u" Dxy [1, 1, 1];
    0x72 I32GeS "i32.ge_s" Dxy [1, 1, 1];
    0x73 I32GeU "i32.ge_u" Dxy [1, 1, 1];
    // i32 with a constant on the right.
    0x74 I32AddConst "i32.add_const" Dxi [1, 1, 0];
    0x75 I32MulConst "i32.mul_const" Dxi [1, 1, 0];
    0x76 I32AndConst "i32.and_const" Dxi [1, 1, 0];
    0x77 I32OrConst "i32.or_const" Dxi [1, 1, 0];
    0x78 I32XorConst "i32.xor_const" Dxi [1, 1, 0];
    0x79 I32ShlConst "i32.shl_const" Dxi [1, 1, 0];
    0x7a I32ShrSConst "i32.shr_s_const" Dxi [1, 1, 0];
    0x7b I32ShrUConst "i32.shr_u_const" Dxi [1, 1, 0];
    0x7c I32RotlConst "i32.rotl_const" Dxi [1, 1, 0];
    0x7d I32EqConst "i32.eq_const" Dxi [1, 1, 0];
    0x7e I32NeConst "i32.ne_const" Dxi [1, 1, 0];
    0x7f I32LtSConst "i32.lt_s_const" Dxi [1, 1, 0];
    0x80 I32LtUConst "i32.lt_u_const" Dxi [1, 1, 0];
    0x81 I32GtSConst "i32.gt_s_const" Dxi [1, 1, 0];
    0x82 I32GtUConst "i32.gt_u_const" Dxi [1, 1, 0];
    0x83 I32LeSConst "i32.le_s_const" Dxi [1, 1, 0];
    0x84 I32LeUConst "i32.le_u_const" Dxi [1, 1, 0];
    0x85 I32GeSConst "i32.ge_s_const" Dxi [1, 1, 0];
    0x86 I32GeUConst "i32.ge_u_const" Dxi [1, 1, 0];
    // i64.
    0x87 I64Eqz "i64.eqz" Dx [1, 2, 0];
    0x88 I64Clz "i64.clz" Dx [2, 2, 0];
    0x89 I64Ctz "i64.ctz" Dx [2, 2, 0];
    0x8a I64Popcnt "i64.popcnt" Dx [2, 2, 0];
    0x8b I64Extend8S "i64.extend8_s" Dx [2, 2, 0];
    0x8c I64Extend16S "i64.extend16_s" Dx [2, 2, 0];
    0x8d I64Extend32S "i64.extend32_s" Dx [2, 2, 0];
    0x8e I64Add "i64.add" Dxy [2, 2, 2];
    0x8f I64Sub "i64.sub" Dxy [2, 2, 2];
    0x90 I64Mul "i64.mul" Dxy [2, 2, 2];
    0x91 I64DivS "i64.div_s" Dxy [2, 2, 2];
    0x92 I64DivU "i64.div_u" Dxy [2, 2, 2];
    0x93 I64RemS "i64.rem_s" Dxy [2, 2, 2];
    0x94 I64RemU "i64.rem_u" Dxy [2, 2, 2];
    0x95 I64And "i64.and" Dxy [2, 2, 2];
    0x96 I64Or "i64.or" Dxy [2, 2, 2];
    0x97 I64Xor "i64.xor" Dxy [2, 2, 2];
    0x98 I64Shl "i64.shl" Dxy [2, 2, 2];
    0x99 I64ShrS "i64.shr_s" Dxy [2, 2, 2];
    0x9a I64ShrU "i64.shr_u" Dxy [2, 2, 2];
    0x9b I64Rotl "i64.rotl" Dxy [2, 2, 2];
    0x9c I64Rotr "i64.rotr" Dxy [2, 2, 2];
    0x9d I64Eq "i64.eq" Dxy [1, 2, 2];
    0x9e I64Ne "i64.ne" Dxy [1, 2, 2];
    0x9f I64LtS "i64.lt_s" Dxy [1, 2, 2];
    0xa0 I64LtU "i64.lt_u" Dxy [1, 2, 2];
    0xa1 I64GtS "i64.gt_s" Dxy [1, 2, 2];
    0xa2 I64GtU "i64.gt_u" Dxy [1, 2, 2];
    0xa3 I64LeS "i64.le_s" Dxy [1, 2, 2];
    0xa4 I64LeU "i64.le_u" Dxy [1, 2, 2];
    0xa5 I64GeS "i64.ge_s" Dxy [1, 2, 2];
    0xa6 I64GeU "i64.ge_u" Dxy [1, 2, 2];
    // i64 with a constant on the right, sign-extended.
    0xa7 I64AddConst "i64.add_const" Dxi [2, 2, 0];
    0xa8 I64MulConst "i64.mul_const" Dxi [2, 2, 0];
    0xa9 I64AndConst "i64.and_const" Dxi [2, 2, 0];
    0xaa I64OrConst "i64.or_const" Dxi [2, 2, 0];
    0xab I64XorConst "i64.xor_const" Dxi [2, 2, 0];
    0xac I64ShlConst "i64.shl_const" Dxi [2, 2, 0];
    0xad I64ShrSConst "i64.shr_s_const" Dxi [2, 2, 0];
    0xae I64ShrUConst "i64.shr_u_const" Dxi [2, 2, 0];
    0xaf I64RotlConst "i64.rotl_const" Dxi [2, 2, 0];
    // Fused compare and branch.
    0xb0 BrI32Eq "br_i32.eq" Xyt [1, 1, 0];
    0xb1 BrI32Ne "br_i32.ne" Xyt [1, 1, 0];
    0xb2 BrI32LtS "br_i32.lt_s" Xyt [1, 1, 0];
    0xb3 BrI32LtU "br_i32.lt_u" Xyt [1, 1, 0];
    0xb4 BrI32GtS "br_i32.gt_s" Xyt [1, 1, 0];
    0xb5 BrI32GtU "br_i32.gt_u" Xyt [1, 1, 0];
    0xb6 BrI32LeS "br_i32.le_s" Xyt [1, 1, 0];
    0xb7 BrI32LeU "br_i32.le_u" Xyt [1, 1, 0];
    0xb8 BrI32GeS "br_i32.ge_s" Xyt [1, 1, 0];
    0xb9 BrI32GeU "br_i32.ge_u" Xyt [1, 1, 0];
    0xba BrI32EqConst "br_i32.eq_const" Xit [1, 0, 0];
    0xbb BrI32NeConst "br_i32.ne_const" Xit [1, 0, 0];
    0xbc BrI32LtSConst "br_i32.lt_s_const" Xit [1, 0, 0];
    0xbd BrI32LtUConst "br_i32.lt_u_const" Xit [1, 0, 0];
    0xbe BrI32GtSConst "br_i32.gt_s_const" Xit [1, 0, 0];
    0xbf BrI32GtUConst "br_i32.gt_u_const" Xit [1, 0, 0];
    0xc0 BrI32LeSConst "br_i32.le_s_const" Xit [1, 0, 0];
    0xc1 BrI32LeUConst "br_i32.le_u_const" Xit [1, 0, 0];
    0xc2 BrI32GeSConst "br_i32.ge_s_const" Xit [1, 0, 0];
    0xc3 BrI32GeUConst "br_i32.ge_u_const" Xit [1, 0, 0];
    // f32.
    0xc4 F32Abs "f32.abs" Dx [1, 1, 0];
    0xc5 F32Neg "f32.neg" Dx [1, 1, 0];
    0xc6 F32Ceil "f32.ceil" Dx [1, 1, 0];
    0xc7 F32Floor "f32.floor" Dx [1, 1, 0];
    0xc8 F32Trunc "f32.trunc" Dx [1, 1, 0];
    0xc9 F32Nearest "f32.nearest" Dx [1, 1, 0];
    0xca F32Sqrt "f32.sqrt" Dx [1, 1, 0];
    0xcb F32Add "f32.add" Dxy [1, 1, 1];
    0xcc F32Sub "f32.sub" Dxy [1, 1, 1];
    0xcd F32Mul "f32.mul" Dxy [1, 1, 1];
    0xce F32Div "f32.div" Dxy [1, 1, 1];
    0xcf F32Min "f32.min" Dxy [1, 1, 1];
    0xd0 F32Max "f32.max" Dxy [1, 1, 1];
    0xd1 F32Copysign "f32.copysign" Dxy [1, 1, 1];
    0xd2 F32Eq "f32.eq" Dxy [1, 1, 1];
    0xd3 F32Ne "f32.ne" Dxy [1, 1, 1];
    0xd4 F32Lt "f32.lt" Dxy [1, 1, 1];
    0xd5 F32Gt "f32.gt" Dxy [1, 1, 1];
    0xd6 F32Le "f32.le" Dxy [1, 1, 1];
    0xd7 F32Ge "f32.ge" Dxy [1, 1, 1];
    // f64.
    0xd8 F64Abs "f64.abs" Dx [2, 2, 0];
    0xd9 F64Neg "f64.neg" Dx [2, 2, 0];
    0xda F64Ceil "f64.ceil" Dx [2, 2, 0];
    0xdb F64Floor "f64.floor" Dx [2, 2, 0];
    0xdc F64Trunc "f64.trunc" Dx [2, 2, 0];
    0xdd F64Nearest "f64.nearest" Dx [2, 2, 0];
    0xde F64Sqrt "f64.sqrt" Dx [2, 2, 0];
    0xdf F64Add "f64.add" Dxy [2, 2, 2];
    0xe0 F64Sub "f64.sub" Dxy [2, 2, 2];
    0xe1 F64Mul "f64.mul" Dxy [2, 2, 2];
    0xe2 F64Div "f64.div" Dxy [2, 2, 2];
    0xe3 F64Min "f64.min" Dxy [2, 2, 2];
    0xe4 F64Max "f64.max" Dxy [2, 2, 2];
    0xe5 F64Copysign "f64.copysign" Dxy [2, 2, 2];
    0xe6 F64Eq "f64.eq" Dxy [1, 2, 2];
    0xe7 F64Ne "f64.ne" Dxy [1, 2, 2];
    0xe8 F64Lt "f64.lt" Dxy [1, 2, 2];
    0xe9 F64Gt "f64.gt" Dxy [1, 2, 2];
    0xea F64Le "f64.le" Dxy [1, 2, 2];
    0xeb F64Ge "f64.ge" Dxy [1, 2, 2];
    // Conversions to floats.
    0xec F32ConvertI32S "f32.convert_i32_s" Dx [1, 1, 0];
    0xed F32ConvertI32U "f32.convert_i32_u" Dx [1, 1, 0];
    0xee F32ConvertI64S "f32.convert_i64_s" Dx [1, 2, 0];
    0xef F32ConvertI64U "f32.convert_i64_u" Dx [1, 2, 0];
    0xf0 F64ConvertI32S "f64.convert_i32_s" Dx [2, 1, 0];
    0xf1 F64ConvertI32U "f64.convert_i32_u" Dx [2, 1, 0];
    0xf2 F64ConvertI64S "f64.convert_i64_s" Dx [2, 2, 0];
    0xf3 F64ConvertI64U "f64.convert_i64_u" Dx [2, 2, 0];
    0xf4 F32DemoteF64 "f32.demote_f64" Dx [1, 2, 0];
    0xf5 F64PromoteF32 "f64.promote_f32" Dx [2, 1, 0];
}

#[cfg(test)]
mod tests {
    use super::Op;

    #[test]
    fn the_first_instructions_of_kernels_keep_their_numbers() {
        let expected = [
            (0x50, "gid"),
            (0x51, "time"),
            (0x52, "st_out"),
            (0x53, "ld_in"),
            (0x54, "atomic_add"),
        ];
        for (number, name) in expected {
            assert_eq!(Op::from_number(number).map(Op::name), Some(name));
        }
    }

    #[test]
    fn every_number_is_its_opcodes_own() {
        for op in Op::ALL {
            assert_eq!(Op::from_number(*op as u8), Some(*op));
        }
    }
}
