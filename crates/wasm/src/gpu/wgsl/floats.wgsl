// Exact software floats: round to nearest, ties to even, with subnormals. A double is a pair of
// words, low first. Singles are computed as doubles and rounded once more, which is exact for one
// operation because 53 >= 2 * 24 + 2. NaN results are the canonical NaN.

const NAN32: u32 = 0x7fc00000u;

fn nan64() -> vec2<u32> {
    return vec2<u32>(0u, 0x7ff80000u);
}

// Shifts right by any amount; bits that are shifted out set the last bit (sticky bit).
fn shr_sticky64(a: vec2<u32>, n: u32) -> vec2<u32> {
    if n == 0u {
        return a;
    }
    if n >= 64u {
        return vec2<u32>(select(1u, 0u, is_zero64(a)), 0u);
    }
    var result = shr_u64(a, n);
    if !is_zero64(shl64(a, 64u - n)) {
        result.x |= 1u;
    }
    return result;
}

fn magnitude64(a: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x, a.y & 0x7fffffffu);
}

fn is_nan64(a: vec2<u32>) -> bool {
    return lt_u64(vec2<u32>(0u, 0x7ff00000u), magnitude64(a));
}

fn is_inf64(a: vec2<u32>) -> bool {
    return a.x == 0u && (a.y & 0x7fffffffu) == 0x7ff00000u;
}

// A finite non-zero number: `mantissa * 2^(exponent - 1075)`, with bit 52 as the highest of the
// mantissa.
struct Parts {
    mantissa: vec2<u32>,
    exponent: i32,
}

fn parts64(a: vec2<u32>) -> Parts {
    let biased = (a.y >> 20u) & 0x7ffu;
    var mantissa = vec2<u32>(a.x, a.y & 0xfffffu);
    if biased != 0u {
        mantissa.y |= 0x100000u;
        return Parts(mantissa, i32(biased));
    }
    let n = clz64(mantissa) - 11u;
    return Parts(shl64(mantissa, n), 1 - i32(n));
}

// The double nearest to `mantissa * 2^(exponent - 1078)`; the mantissa is not zero. Its last bit is
// a sticky bit.
fn round64(sign: u32, mantissa: vec2<u32>, exponent: i32) -> vec2<u32> {
    var m = mantissa;
    var e = exponent;
    let zeros = clz64(m);
    if zeros > 8u {
        m = shl64(m, zeros - 8u);
    } else {
        m = shr_sticky64(m, 8u - zeros);
    }
    e += 8 - i32(zeros);
    if e < 1 {
        m = shr_sticky64(m, u32(1 - e));
        e = 1;
    }
    if e >= 0x7ff {
        return vec2<u32>(0u, sign | 0x7ff00000u);
    }
    let rest = m.x & 7u;
    m = shr_u64(m, 3u);
    if rest > 4u || (rest == 4u && (m.x & 1u) != 0u) {
        m = add64(m, vec2<u32>(1u, 0u));
    }
    // Adding the mantissa's highest bit increments the exponent.
    m.y += u32(e - 1) << 20u;
    return vec2<u32>(m.x, m.y | sign);
}

fn add_f64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    var x = a;
    var y = b;
    if lt_u64(magnitude64(a), magnitude64(b)) {
        x = b;
        y = a;
    }
    let sign = x.y & 0x80000000u;
    let differ = ((x.y ^ y.y) >> 31u) != 0u;
    let ex = (x.y >> 20u) & 0x7ffu;
    if ex == 0x7ffu {
        if is_nan64(x) || (differ && is_inf64(y)) {
            return nan64();
        }
        return x;
    }
    let ey = (y.y >> 20u) & 0x7ffu;
    var mx = vec2<u32>(x.x, (x.y & 0xfffffu) | select(0u, 0x100000u, ex != 0u));
    var my = vec2<u32>(y.x, (y.y & 0xfffffu) | select(0u, 0x100000u, ey != 0u));
    let apart = max(ex, 1u) - max(ey, 1u);
    mx = shl64(mx, 3u);
    my = shr_sticky64(shl64(my, 3u), apart);
    if differ {
        mx = sub64(mx, my);
    } else {
        mx = add64(mx, my);
    }
    if is_zero64(mx) {
        return vec2<u32>(0u, select(sign, 0u, differ));
    }
    return round64(sign, mx, i32(max(ex, 1u)));
}

fn mul_f64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let sign = (a.y ^ b.y) & 0x80000000u;
    let no_a = is_zero64(magnitude64(a));
    let no_b = is_zero64(magnitude64(b));
    if is_nan64(a) || is_nan64(b) {
        return nan64();
    }
    if is_inf64(a) || is_inf64(b) {
        if no_a || no_b {
            return nan64();
        }
        return vec2<u32>(0u, sign | 0x7ff00000u);
    }
    if no_a || no_b {
        return vec2<u32>(0u, sign);
    }
    let pa = parts64(a);
    let pb = parts64(b);
    let ma = shl64(pa.mantissa, 11u);
    let mb = shl64(pb.mantissa, 11u);
    let low = mul32(ma.x, mb.x);
    let cross = mul32(ma.x, mb.y);
    let other = mul32(ma.y, mb.x);
    let high = mul32(ma.y, mb.y);
    // The upper half of the product; the lower half only matters as a sticky bit.
    let middle = add64(vec2<u32>(cross.x, 0u), vec2<u32>(other.x, 0u));
    let second = add64(middle, vec2<u32>(low.y, 0u));
    var top = add64(high, vec2<u32>(cross.y, 0u));
    top = add64(top, vec2<u32>(other.y, 0u));
    top = add64(top, vec2<u32>(second.y, 0u));
    if (second.x | low.x) != 0u {
        top.x |= 1u;
    }
    return round64(sign, top, pa.exponent + pb.exponent - 1030);
}

// 56 iterations, which are added to `spent`.
fn div_f64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let sign = (a.y ^ b.y) & 0x80000000u;
    let no_a = is_zero64(magnitude64(a));
    let no_b = is_zero64(magnitude64(b));
    let inf_a = is_inf64(a);
    let inf_b = is_inf64(b);
    if is_nan64(a) || is_nan64(b) || (no_a && no_b) || (inf_a && inf_b) {
        return nan64();
    }
    if inf_a || no_b {
        return vec2<u32>(0u, sign | 0x7ff00000u);
    }
    if inf_b || no_a {
        return vec2<u32>(0u, sign);
    }
    let pa = parts64(a);
    let pb = parts64(b);
    var rest = pa.mantissa;
    var quotient = vec2<u32>(0u, 0u);
    spent += 56u;
    for (var i = 0u; i < 56u; i++) {
        quotient = shl64(quotient, 1u);
        if !lt_u64(rest, pb.mantissa) {
            rest = sub64(rest, pb.mantissa);
            quotient.x |= 1u;
        }
        rest = shl64(rest, 1u);
    }
    if !is_zero64(rest) {
        quotient.x |= 1u;
    }
    return round64(sign, quotient, pa.exponent - pb.exponent + 1023);
}

// Digit by digit, 55 iterations, which are added to `spent`.
fn sqrt_f64(a: vec2<u32>) -> vec2<u32> {
    if is_nan64(a) {
        return nan64();
    }
    if is_zero64(magnitude64(a)) {
        return a;
    }
    if (a.y >> 31u) != 0u {
        return nan64();
    }
    if is_inf64(a) {
        return a;
    }
    let p = parts64(a);
    var e = p.exponent - 1075;
    // 54 bits, moved to the top.
    var digits = shl64(p.mantissa, 10u);
    if (e & 1) != 0 {
        digits = shl64(p.mantissa, 11u);
        e -= 1;
    }
    var rest = vec2<u32>(0u, 0u);
    var root = vec2<u32>(0u, 0u);
    spent += 55u;
    for (var i = 0u; i < 55u; i++) {
        rest = shl64(rest, 2u);
        rest.x |= digits.y >> 30u;
        digits = shl64(digits, 2u);
        let trial = shl64(root, 2u) | vec2<u32>(1u, 0u);
        root = shl64(root, 1u);
        if !lt_u64(rest, trial) {
            rest = sub64(rest, trial);
            root.x |= 1u;
        }
    }
    if !is_zero64(rest) {
        root.x |= 1u;
    }
    // `e` is even, so the division is exact.
    return round64(0u, root, e / 2 + 1050);
}

const TOWARDS_PLUS: u32 = 0u;
const TOWARDS_MINUS: u32 = 1u;
const TOWARDS_ZERO: u32 = 2u;
const TO_NEAREST: u32 = 3u;

// The nearest integer of a rounding mode, as a float.
fn integral_f64(a: vec2<u32>, direction: u32) -> vec2<u32> {
    let biased = (a.y >> 20u) & 0x7ffu;
    let sign = a.y & 0x80000000u;
    let negative = sign != 0u;
    if biased >= 1075u {
        if is_nan64(a) {
            return nan64();
        }
        return a;
    }
    let away = (direction == TOWARDS_PLUS && !negative) || (direction == TOWARDS_MINUS && negative);
    if biased < 1023u {
        let above_half = lt_u64(vec2<u32>(0u, 0x3fe00000u), magnitude64(a));
        let some = !is_zero64(magnitude64(a));
        if (away && some) || (direction == TO_NEAREST && above_half) {
            return vec2<u32>(0u, sign | 0x3ff00000u);
        }
        return vec2<u32>(0u, sign);
    }
    let places = 1075u - biased;
    let unit = shl64(vec2<u32>(1u, 0u), places);
    let mask = sub64(unit, vec2<u32>(1u, 0u));
    let fraction = a & mask;
    var whole = a & ~mask;
    if is_zero64(fraction) {
        return a;
    }
    let half = shr_u64(unit, 1u);
    let tie = all(fraction == half);
    let odd = !is_zero64(a & unit);
    let up = lt_u64(half, fraction) || (tie && odd);
    if away || (direction == TO_NEAREST && up) {
        whole = add64(whole, unit);
    }
    return whole;
}

fn lt_f64(a: vec2<u32>, b: vec2<u32>) -> bool {
    if is_nan64(a) || is_nan64(b) || is_zero64(magnitude64(a) | magnitude64(b)) {
        return false;
    }
    let negative_a = (a.y >> 31u) != 0u;
    let negative_b = (b.y >> 31u) != 0u;
    if negative_a != negative_b {
        return negative_a;
    }
    if negative_a {
        return lt_u64(b, a);
    }
    return lt_u64(a, b);
}

fn eq_f64(a: vec2<u32>, b: vec2<u32>) -> bool {
    if is_nan64(a) || is_nan64(b) {
        return false;
    }
    return all(a == b) || is_zero64(magnitude64(a) | magnitude64(b));
}

fn is_nan32(a: u32) -> bool {
    return (a & 0x7fffffffu) > 0x7f800000u;
}

fn lt_f32(a: u32, b: u32) -> bool {
    if is_nan32(a) || is_nan32(b) || ((a | b) & 0x7fffffffu) == 0u {
        return false;
    }
    let negative_a = (a >> 31u) != 0u;
    let negative_b = (b >> 31u) != 0u;
    if negative_a != negative_b {
        return negative_a;
    }
    return select(a < b, b < a, negative_a);
}

fn eq_f32(a: u32, b: u32) -> bool {
    if is_nan32(a) || is_nan32(b) {
        return false;
    }
    return a == b || ((a | b) & 0x7fffffffu) == 0u;
}

fn to_double(a: u32) -> vec2<u32> {
    let sign = a & 0x80000000u;
    let biased = (a >> 23u) & 0xffu;
    var mantissa = a & 0x7fffffu;
    var exponent = biased + 896u;
    if biased == 0xffu {
        if mantissa != 0u {
            return nan64();
        }
        return vec2<u32>(0u, sign | 0x7ff00000u);
    }
    if biased == 0u {
        if mantissa == 0u {
            return vec2<u32>(0u, sign);
        }
        let n = clz32(mantissa) - 8u;
        mantissa = (mantissa << (n & 31u)) & 0x7fffffu;
        exponent = 897u - n;
    }
    return vec2<u32>(mantissa << 29u, sign | (exponent << 20u) | (mantissa >> 3u));
}

fn to_single(a: vec2<u32>) -> u32 {
    let sign = (a.y & 0x80000000u);
    let biased = (a.y >> 20u) & 0x7ffu;
    if biased == 0x7ffu {
        if is_nan64(a) {
            return NAN32;
        }
        return sign | 0x7f800000u;
    }
    // Subnormal doubles are far below half of the smallest single.
    if biased < 512u {
        return sign;
    }
    var e = i32(biased) - 896;
    if e >= 255 {
        return sign | 0x7f800000u;
    }
    var places = 26u;
    if e < 1 {
        places += u32(1 - e);
        e = 1;
    }
    let kept = shr_sticky64(vec2<u32>(a.x, (a.y & 0xfffffu) | 0x100000u), places).x;
    var m = kept >> 3u;
    let rest = kept & 7u;
    if rest > 4u || (rest == 4u && (m & 1u) != 0u) {
        m += 1u;
    }
    return sign | (m + (u32(e - 1) << 23u));
}

fn u64_to_f64(a: vec2<u32>) -> vec2<u32> {
    if is_zero64(a) {
        return a;
    }
    return round64(0u, a, 1078);
}

fn i64_to_f64(a: vec2<u32>) -> vec2<u32> {
    var result = u64_to_f64(abs64(a));
    result.y |= a.y & 0x80000000u;
    return result;
}

// Rounds a magnitude to a double such that rounding it again to a single is exact (round to odd).
fn to_odd(a: vec2<u32>) -> vec2<u32> {
    if a.y < 0x200000u {
        return a;
    }
    let rest = a.x & 0x7ffu;
    return vec2<u32>((a.x & ~0x7ffu) | select(0u, 0x800u, rest != 0u), a.y);
}

const IS_NAN: u32 = 1u;
const IS_BEYOND: u32 = 2u;

// The integer in a float, saturated to its type, and whether it was out of range.
struct Truncated {
    value: vec2<u32>,
    fault: u32,
}

fn truncate(a: vec2<u32>, bits: u32, is_signed: bool) -> Truncated {
    if is_nan64(a) {
        return Truncated(vec2<u32>(0u, 0u), IS_NAN);
    }
    let negative = (a.y >> 31u) != 0u;
    // The largest magnitude.
    var most = vec2<u32>(0xffffffffu, select(0u, 0xffffffffu, bits == 64u));
    if is_signed {
        most = shr_u64(most, 1u);
        if negative {
            most = add64(most, vec2<u32>(1u, 0u));
        }
    } else if negative {
        most = vec2<u32>(0u, 0u);
    }
    let biased = (a.y >> 20u) & 0x7ffu;
    var size = vec2<u32>(0u, 0u);
    var beyond = biased >= 1087u;
    if biased >= 1023u && !beyond {
        let mantissa = vec2<u32>(a.x, (a.y & 0xfffffu) | 0x100000u);
        if biased >= 1075u {
            size = shl64(mantissa, biased - 1075u);
        } else {
            size = shr_u64(mantissa, 1075u - biased);
        }
        beyond = lt_u64(most, size);
    }
    if beyond {
        size = most;
    }
    if negative {
        size = neg64(size);
    }
    return Truncated(size, select(0u, IS_BEYOND, beyond));
}
