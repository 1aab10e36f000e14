// Executes one instruction. Opcodes are dispatched by group first: many devices compile a switch to
// a chain of comparisons. Many devices also execute every branch with predication, but leave a loop
// as soon as no invocation is in it. So every group of instructions has a loop of its own, nested
// in that of the next group, and rare groups cost nothing as long as no thread needs them. For the
// same reason words are read and written at as few places of the code as possible.

const COMMON: u32 = 0u;
const LONG: u32 = 1u;
const SINGLE: u32 = 2u;
const DOUBLE: u32 = 3u;
const RARE: u32 = 4u;

fn kind(op: u32) -> u32 {
    if op < OP_I64Eqz {
        let is_common = op >= OP_I32Eqz || (op < OP_MemorySize && op != OP_CallIndirect);
        return select(RARE, COMMON, is_common);
    }
    let is_long = op < OP_BrI32Eq;
    let of_integers = select(COMMON, LONG, is_long);
    return select(select(of_integers, SINGLE, op >= OP_F32Abs), DOUBLE, op >= OP_F64Abs);
}

// Control, loads, stores, 32-bit integers, and branches that compare.
fn common_step(word: u32) {
    let op = word & 0xffu;
    if op >= OP_BrI32Eq {
        compare_and_branch(op, word);
    } else if op >= OP_I32Eqz {
        integer32(op, word);
    } else if op < OP_I32Load {
        control(op, word);
    } else if op < OP_Store8 {
        load(op, word);
    } else {
        store(op, word);
    }
}

// Instructions on whole memories and tables, conversions, host calls.
fn rare_step(word: u32) {
    let op = word & 0xffu;
    if op == OP_CallIndirect {
        call_indirect(word);
    } else if op < OP_I64ExtendI32S {
        memories(op, word);
    } else if op < OP_Host {
        to_integer(op, word);
    } else {
        host_instruction(op, word);
    }
}

fn control(op: u32, word: u32) {
    let a = (word >> 8u) & 0xffu;
    switch op {
        case OP_Jump, OP_BrIf, OP_BrIfZero: {
            let is_taken = op == OP_Jump || (slot(a) != 0u) == (op == OP_BrIf);
            pc = select(pc + 2u, program[pc + 1u], is_taken);
        }
        case OP_BrTable: {
            pc = program[pc + 2u + min(slot(a), program[pc + 1u])];
        }
        case OP_Call: {
            call(word >> 8u, program[pc + 1u], 2u);
        }
        case OP_Return: {
            pc = threads[frame - 2u * P.count];
            enter(threads[frame - P.count]);
        }
        case OP_End: {
            status = DONE;
        }
        case OP_Nop: {
            pc += 1u;
        }
        case OP_Unreachable: {
            fail(TRAP_Unreachable);
        }
        default: {
            move_words(op, word);
        }
    }
}

// Moves, constants, selects and globals: a word or two are copied.
fn move_words(op: u32, word: u32) {
    let a = (word >> 8u) & 0xffu;
    let b = (word >> 16u) & 0xffu;
    let n = word >> 16u;
    var to = frame + a * P.count;
    var origin = frame + b * P.count;
    var words = 1u;
    switch op {
        case OP_Const, OP_Const64: {
            words = select(2u, 3u, op == OP_Const64);
        }
        case OP_Select, OP_Select64: {
            let chosen = select(word >> 24u, b, slot(program[pc + 1u] & 0xffu) != 0u);
            origin = frame + chosen * P.count;
            words = 2u;
        }
        case OP_FarGet: {
            origin = frame + n * P.count;
        }
        case OP_FarSet: {
            origin = to;
            to = frame + n * P.count;
        }
        case OP_GlobalGet, OP_GlobalGet64: {
            origin = own(P.globals + n);
        }
        case OP_GlobalSet, OP_GlobalSet64: {
            origin = to;
            to = own(P.globals + n);
        }
        default: {}
    }
    let is_long = op == OP_Move64 || op == OP_Const64 || op == OP_Select64
        || op == OP_GlobalGet64 || op == OP_GlobalSet64;
    let is_constant = op == OP_Const || op == OP_Const64;
    var low = 0u;
    var high = 0u;
    if is_constant {
        low = program[pc + 1u];
        high = program[pc + 2u];
    } else {
        low = threads[origin];
        if is_long {
            high = threads[origin + P.count];
        }
    }
    threads[to] = low;
    if is_long {
        threads[to + P.count] = high;
    }
    pc += words;
}

fn memories(op: u32, word: u32) {
    switch op {
        case OP_MemorySize: {
            put((word >> 8u) & 0xffu, memory_pages(word >> 16u));
            pc += 1u;
        }
        case OP_MemoryGrow: {
            grow_memory(word);
        }
        case OP_MemoryFill, OP_MemoryCopy, OP_MemoryInit, OP_TableFill, OP_TableCopy, OP_TableInit: {
            bulk(op, word);
        }
        case OP_DataDrop: {
            drop_segment(word >> 16u);
        }
        case OP_TableSize: {
            put((word >> 8u) & 0xffu, table_size(word >> 16u));
            pc += 1u;
        }
        case OP_TableGrow: {
            grow_table(word);
        }
        case OP_TableGet: {
            table_get(word);
        }
        case OP_TableSet: {
            table_set(word);
        }
        default: {
            drop_segment(P.data_segments + (word >> 16u));
        }
    }
}

fn integer32(op: u32, word: u32) {
    let d = (word >> 8u) & 0xffu;
    let x = slot((word >> 16u) & 0xffu);
    var y = 0u;
    var words = 1u;
    if op >= OP_I32AddConst {
        y = program[pc + 1u];
        words = 2u;
    } else if op >= OP_I32Add {
        y = slot(word >> 24u);
    }
    var r = 0u;
    if op >= OP_I32EqConst || (op >= OP_I32Eq && op < OP_I32AddConst) {
        let first = select(OP_I32Eq, OP_I32EqConst, op >= OP_I32EqConst);
        put(d, select(0u, 1u, compare32(op - first, x, y)));
        pc += words;
        return;
    }
    switch op {
        case OP_I32Add, OP_I32AddConst: {
            r = x + y;
        }
        case OP_I32Sub: {
            r = x - y;
        }
        case OP_I32Mul, OP_I32MulConst: {
            r = x * y;
        }
        case OP_I32And, OP_I32AndConst: {
            r = x & y;
        }
        case OP_I32Or, OP_I32OrConst: {
            r = x | y;
        }
        case OP_I32Xor, OP_I32XorConst: {
            r = x ^ y;
        }
        case OP_I32Shl, OP_I32ShlConst: {
            r = x << (y & 31u);
        }
        case OP_I32ShrU, OP_I32ShrUConst: {
            r = x >> (y & 31u);
        }
        case OP_I32ShrS, OP_I32ShrSConst: {
            r = shr_s32(x, y);
        }
        case OP_I32Rotl, OP_I32RotlConst: {
            r = rotl32(x, y);
        }
        case OP_I32Rotr: {
            r = rotl32(x, 32u - (y & 31u));
        }
        case OP_I32Eqz: {
            r = select(0u, 1u, x == 0u);
        }
        case OP_I32Clz: {
            r = clz32(x);
        }
        case OP_I32Ctz: {
            r = ctz32(x);
        }
        case OP_I32Popcnt: {
            r = countOneBits(x);
        }
        case OP_I32Extend8S: {
            r = shr_s32(x << 24u, 24u);
        }
        case OP_I32Extend16S: {
            r = shr_s32(x << 16u, 16u);
        }
        default: {
            if y == 0u {
                fail(TRAP_DivideByZero);
                return;
            }
            r = divide32(op, x, y);
            if status != READY {
                return;
            }
        }
    }
    put(d, r);
    pc += words;
}

// The divisor is not zero. Signed division uses magnitudes: the result for the minimum value is not
// portable.
fn divide32(op: u32, x: u32, y: u32) -> u32 {
    let is_signed = op == OP_I32DivS || op == OP_I32RemS;
    let negative_x = is_signed && (x >> 31u) != 0u;
    let negative_y = is_signed && (y >> 31u) != 0u;
    let size_x = select(x, 0u - x, negative_x);
    let size_y = select(y, 0u - y, negative_y);
    let quotient = size_x / size_y;
    if op == OP_I32RemS || op == OP_I32RemU {
        let rest = size_x - quotient * size_y;
        return select(rest, 0u - rest, negative_x);
    }
    if op == OP_I32DivS && x == 0x80000000u && y == 0xffffffffu {
        fail(TRAP_IntegerOverflow);
    }
    return select(quotient, 0u - quotient, negative_x != negative_y);
}

// In the order of the opcodes: eq, ne, then lt, gt, le, ge, each signed and unsigned.
fn compare32(which: u32, x: u32, y: u32) -> bool {
    if which < 2u {
        return (x == y) == (which == 0u);
    }
    let kind = (which - 2u) >> 1u;
    let flip = select(0u, 0x80000000u, (which & 1u) == 0u);
    let a = x ^ flip;
    let b = y ^ flip;
    let swapped = kind == 1u || kind == 2u;
    let less = select(a, b, swapped) < select(b, a, swapped);
    return less != (kind >= 2u);
}

fn compare64(which: u32, x: vec2<u32>, y: vec2<u32>) -> bool {
    if which < 2u {
        return all(x == y) == (which == 0u);
    }
    let kind = (which - 2u) >> 1u;
    let flip = vec2<u32>(0u, select(0u, 0x80000000u, (which & 1u) == 0u));
    let swapped = kind == 1u || kind == 2u;
    let less = lt_u64(select(x, y, swapped) ^ flip, select(y, x, swapped) ^ flip);
    return less != (kind >= 2u);
}

fn compare_and_branch(op: u32, word: u32) {
    let x = slot((word >> 8u) & 0xffu);
    var y = 0u;
    var which = op - OP_BrI32Eq;
    var destination = pc + 1u;
    if op >= OP_BrI32EqConst {
        y = program[pc + 1u];
        which = op - OP_BrI32EqConst;
        destination += 1u;
    } else {
        y = slot((word >> 16u) & 0xffu);
    }
    pc = select(destination + 1u, program[destination], compare32(which, x, y));
}

fn integer64(op: u32, word: u32) {
    let d = (word >> 8u) & 0xffu;
    let x = slot2((word >> 16u) & 0xffu);
    var y = vec2<u32>(0u, 0u);
    var words = 1u;
    if op >= OP_I64AddConst {
        y.x = program[pc + 1u];
        y.y = shr_s32(y.x, 31u);
        words = 2u;
    } else if op >= OP_I64Add {
        y = slot2(word >> 24u);
    }
    if op >= OP_I64Eq && op < OP_I64AddConst {
        put(d, select(0u, 1u, compare64(op - OP_I64Eq, x, y)));
        pc += 1u;
        return;
    }
    var r = vec2<u32>(0u, 0u);
    switch op {
        case OP_I64Eqz: {
            put(d, select(0u, 1u, is_zero64(x)));
            pc += 1u;
            return;
        }
        case OP_I64Add, OP_I64AddConst: {
            r = add64(x, y);
        }
        case OP_I64Sub: {
            r = sub64(x, y);
        }
        case OP_I64Mul, OP_I64MulConst: {
            r = mul64(x, y);
        }
        case OP_I64And, OP_I64AndConst: {
            r = x & y;
        }
        case OP_I64Or, OP_I64OrConst: {
            r = x | y;
        }
        case OP_I64Xor, OP_I64XorConst: {
            r = x ^ y;
        }
        case OP_I64Shl, OP_I64ShlConst: {
            r = shl64(x, y.x);
        }
        case OP_I64ShrU, OP_I64ShrUConst: {
            r = shr_u64(x, y.x);
        }
        case OP_I64ShrS, OP_I64ShrSConst: {
            r = shr_s64(x, y.x);
        }
        case OP_I64Rotl, OP_I64RotlConst, OP_I64Rotr: {
            r = rotl64(x, select(y.x, 64u - (y.x & 63u), op == OP_I64Rotr));
        }
        case OP_I64Clz: {
            r.x = clz64(x);
        }
        case OP_I64Ctz: {
            r.x = ctz64(x);
        }
        case OP_I64Popcnt: {
            r.x = countOneBits(x.x) + countOneBits(x.y);
        }
        case OP_I64Extend8S: {
            r.x = shr_s32(x.x << 24u, 24u);
            r.y = shr_s32(r.x, 31u);
        }
        case OP_I64Extend16S: {
            r.x = shr_s32(x.x << 16u, 16u);
            r.y = shr_s32(r.x, 31u);
        }
        case OP_I64Extend32S: {
            r.x = x.x;
            r.y = shr_s32(r.x, 31u);
        }
        default: {
            if is_zero64(y) {
                fail(TRAP_DivideByZero);
                return;
            }
            r = divide64(op, x, y);
            if status != READY {
                return;
            }
        }
    }
    put2(d, r);
    pc += words;
}

fn divide64(op: u32, x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    let is_signed = op == OP_I64DivS || op == OP_I64RemS;
    var size_x = x;
    var size_y = y;
    if is_signed {
        size_x = abs64(x);
        size_y = abs64(y);
    }
    if op == OP_I64DivS && x.x == 0u && x.y == 0x80000000u && (y.x & y.y) == 0xffffffffu {
        fail(TRAP_IntegerOverflow);
    }
    let parts = div_u64(size_x, size_y);
    if op == OP_I64RemS || op == OP_I64RemU {
        if is_signed && (x.y >> 31u) != 0u {
            return neg64(parts.remainder);
        }
        return parts.remainder;
    }
    if is_signed && ((x.y ^ y.y) >> 31u) != 0u {
        return neg64(parts.quotient);
    }
    return parts.quotient;
}

// Extension, and floats to integers. The opcodes are in pairs, signed first: i32 of f32, i32 of
// f64, i64 of f32, i64 of f64, first those that trap and then those that saturate.
fn to_integer(op: u32, word: u32) {
    let d = (word >> 8u) & 0xffu;
    let b = (word >> 16u) & 0xffu;
    if op <= OP_I64ExtendI32U {
        let x = slot(b);
        put2(d, vec2<u32>(x, select(0u, shr_s32(x, 31u), op == OP_I64ExtendI32S)));
        pc += 1u;
        return;
    }
    let saturates = op >= OP_I32TruncSatF32S;
    let which = op - select(OP_I32TruncF32S, OP_I32TruncSatF32S, saturates);
    var x = vec2<u32>(slot(b), 0u);
    if (which & 2u) != 0u {
        x.y = slot(b + 1u);
    } else {
        x = to_double(x.x);
    }
    let wide = which >= 4u;
    let result = truncate(x, select(32u, 64u, wide), (which & 1u) == 0u);
    if !saturates && result.fault != 0u {
        fail(select(TRAP_IntegerOverflow, TRAP_InvalidConversion, result.fault == IS_NAN));
        return;
    }
    put(d, result.value.x);
    if wide {
        put(d + 1u, result.value.y);
    }
    pc += 1u;
}

fn float32(op: u32, word: u32) {
    let d = (word >> 8u) & 0xffu;
    let x = slot((word >> 16u) & 0xffu);
    var y = 0u;
    if op >= OP_F32Add {
        y = slot(word >> 24u);
    }
    var r = 0u;
    switch op {
        case OP_F32Abs: {
            r = x & 0x7fffffffu;
        }
        case OP_F32Neg: {
            r = x ^ 0x80000000u;
        }
        case OP_F32Copysign: {
            r = (x & 0x7fffffffu) | (y & 0x80000000u);
        }
        case OP_F32Eq: {
            r = select(0u, 1u, eq_f32(x, y));
        }
        case OP_F32Ne: {
            r = select(1u, 0u, eq_f32(x, y));
        }
        case OP_F32Lt: {
            r = select(0u, 1u, lt_f32(x, y));
        }
        case OP_F32Gt: {
            r = select(0u, 1u, lt_f32(y, x));
        }
        case OP_F32Le: {
            r = select(0u, 1u, lt_f32(x, y) || eq_f32(x, y));
        }
        case OP_F32Ge: {
            r = select(0u, 1u, lt_f32(y, x) || eq_f32(x, y));
        }
        default: {
            let ex = (x >> 23u) & 0xffu;
            let ey = (y >> 23u) & 0xffu;
            // Far from the ends of the range the device's own arithmetic is exact: nothing is
            // flushed to zero, and there is nothing to fold or contract.
            let is_middle = ex > 30u && ex < 250u && ey > 30u && ey < 250u;
            if is_middle && (op == OP_F32Add || op == OP_F32Sub) {
                let flip = select(0u, 0x80000000u, op == OP_F32Sub);
                r = bitcast<u32>(bitcast<f32>(x) + bitcast<f32>(y ^ flip));
            } else if is_middle && op == OP_F32Mul && ex + ey > 130u && ex + ey < 378u {
                r = bitcast<u32>(bitcast<f32>(x) * bitcast<f32>(y));
            } else {
                r = to_single(arithmetic(op - OP_F32Abs, to_double(x), to_double(y)));
            }
        }
    }
    put(d, r);
    pc += 1u;
}

// In the order of the opcodes of f32 and f64, which is the same.
fn arithmetic(which: u32, x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
    switch which + OP_F64Abs {
        case OP_F64Add: {
            return add_f64(x, y);
        }
        case OP_F64Sub: {
            return add_f64(x, y ^ vec2<u32>(0u, 0x80000000u));
        }
        case OP_F64Mul: {
            return mul_f64(x, y);
        }
        case OP_F64Div: {
            return div_f64(x, y);
        }
        case OP_F64Sqrt: {
            return sqrt_f64(x);
        }
        case OP_F64Min, OP_F64Max: {
            if is_nan64(x) || is_nan64(y) {
                return nan64();
            }
            let least = which + OP_F64Abs == OP_F64Min;
            if is_zero64(magnitude64(x) | magnitude64(y)) {
                return select(x & y, x | y, least);
            }
            return select(x, y, lt_f64(x, y) != least);
        }
        case OP_F64Ceil: {
            return integral_f64(x, TOWARDS_PLUS);
        }
        case OP_F64Floor: {
            return integral_f64(x, TOWARDS_MINUS);
        }
        case OP_F64Trunc: {
            return integral_f64(x, TOWARDS_ZERO);
        }
        default: {
            return integral_f64(x, TO_NEAREST);
        }
    }
}

fn float64(op: u32, word: u32) {
    let d = (word >> 8u) & 0xffu;
    let b = (word >> 16u) & 0xffu;
    if op >= OP_F32ConvertI32S {
        to_float(op, d, b);
        pc += 1u;
        return;
    }
    let x = slot2(b);
    var y = vec2<u32>(0u, 0u);
    if op >= OP_F64Add {
        y = slot2(word >> 24u);
    }
    pc += 1u;
    if op >= OP_F64Eq {
        var r = false;
        let equal = eq_f64(x, y);
        switch op {
            case OP_F64Eq: {
                r = equal;
            }
            case OP_F64Ne: {
                r = !equal;
            }
            case OP_F64Lt: {
                r = lt_f64(x, y);
            }
            case OP_F64Gt: {
                r = lt_f64(y, x);
            }
            case OP_F64Le: {
                r = equal || lt_f64(x, y);
            }
            default: {
                r = equal || lt_f64(y, x);
            }
        }
        put(d, select(0u, 1u, r));
        return;
    }
    var r = vec2<u32>(x.x, x.y & 0x7fffffffu);
    switch op {
        case OP_F64Abs: {}
        case OP_F64Neg: {
            r.y = x.y ^ 0x80000000u;
        }
        case OP_F64Copysign: {
            r.y |= y.y & 0x80000000u;
        }
        default: {
            r = arithmetic(op - OP_F64Abs, x, y);
        }
    }
    put2(d, r);
}

fn to_float(op: u32, d: u32, b: u32) {
    switch op {
        case OP_F32DemoteF64: {
            put(d, to_single(slot2(b)));
        }
        case OP_F64PromoteF32: {
            put2(d, to_double(slot(b)));
        }
        default: {
            // In pairs, signed first: f32 of i32, f32 of i64, f64 of i32, f64 of i64.
            let which = op - OP_F32ConvertI32S;
            let is_signed = (which & 1u) == 0u;
            var x = vec2<u32>(slot(b), 0u);
            if (which & 2u) != 0u {
                x.y = slot(b + 1u);
            } else if is_signed {
                x.y = shr_s32(x.x, 31u);
            }
            let sign = select(0u, x.y & 0x80000000u, is_signed);
            if sign != 0u {
                x = neg64(x);
            }
            let narrow = which < 4u;
            if narrow {
                x = to_odd(x);
            }
            var r = u64_to_f64(x);
            r.y |= sign;
            if narrow {
                put(d, to_single(r));
            } else {
                put2(d, r);
            }
        }
    }
}
