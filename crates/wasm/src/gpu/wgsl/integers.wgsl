// 64-bit integers as pairs of words, low first. Shift amounts are masked explicitly: a device need
// not.

fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn sub64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn neg64(a: vec2<u32>) -> vec2<u32> {
    return sub64(vec2<u32>(0u, 0u), a);
}

fn is_zero64(a: vec2<u32>) -> bool {
    return (a.x | a.y) == 0u;
}

fn lt_u64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

fn lt_s64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return lt_u64(vec2<u32>(a.x, a.y ^ 0x80000000u), vec2<u32>(b.x, b.y ^ 0x80000000u));
}

fn lt_s32(a: u32, b: u32) -> bool {
    return (a ^ 0x80000000u) < (b ^ 0x80000000u);
}

// The 64-bit product of two words.
fn mul32(a: u32, b: u32) -> vec2<u32> {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    let p00 = a0 * b0;
    let p01 = a0 * b1;
    let p10 = a1 * b0;
    let middle = (p00 >> 16u) + (p01 & 0xffffu) + (p10 & 0xffffu);
    let high = a1 * b1 + (p01 >> 16u) + (p10 >> 16u) + (middle >> 16u);
    return vec2<u32>(a * b, high);
}

fn mul64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = mul32(a.x, b.x);
    return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}

fn shl64(a: vec2<u32>, amount: u32) -> vec2<u32> {
    let n = amount & 63u;
    let inner = n & 31u;
    let low = a.x << inner;
    if n >= 32u {
        return vec2<u32>(0u, low);
    }
    // Two shifts, so that none is by 32.
    return vec2<u32>(low, (a.y << inner) | ((a.x >> 1u) >> (31u - inner)));
}

fn shr_u64(a: vec2<u32>, amount: u32) -> vec2<u32> {
    let n = amount & 63u;
    let inner = n & 31u;
    let high = a.y >> inner;
    if n >= 32u {
        return vec2<u32>(high, 0u);
    }
    return vec2<u32>((a.x >> inner) | ((a.y << 1u) << (31u - inner)), high);
}

fn shr_s32(a: u32, amount: u32) -> u32 {
    return bitcast<u32>(bitcast<i32>(a) >> (amount & 31u));
}

fn shr_s64(a: vec2<u32>, amount: u32) -> vec2<u32> {
    let n = amount & 63u;
    let inner = n & 31u;
    let high = shr_s32(a.y, inner);
    if n >= 32u {
        return vec2<u32>(high, shr_s32(a.y, 31u));
    }
    return vec2<u32>((a.x >> inner) | ((a.y << 1u) << (31u - inner)), high);
}

fn rotl32(a: u32, amount: u32) -> u32 {
    let n = amount & 31u;
    return (a << n) | ((a >> 1u) >> (31u - n));
}

fn rotl64(a: vec2<u32>, amount: u32) -> vec2<u32> {
    let left = shl64(a, amount);
    let right = shr_u64(shr_u64(a, 1u), 63u - (amount & 63u));
    return left | right;
}

fn clz32(a: u32) -> u32 {
    return countLeadingZeros(a);
}

fn ctz32(a: u32) -> u32 {
    return countTrailingZeros(a);
}

fn clz64(a: vec2<u32>) -> u32 {
    if a.y != 0u {
        return clz32(a.y);
    }
    return 32u + clz32(a.x);
}

fn ctz64(a: vec2<u32>) -> u32 {
    if a.x != 0u {
        return ctz32(a.x);
    }
    return 32u + ctz32(a.y);
}

struct Division {
    quotient: vec2<u32>,
    remainder: vec2<u32>,
}

// The divisor is not zero. At most 64 iterations, which are added to `spent`.
fn div_u64(a: vec2<u32>, b: vec2<u32>) -> Division {
    if (a.y | b.y) == 0u {
        let quotient = a.x / b.x;
        return Division(vec2<u32>(quotient, 0u), vec2<u32>(a.x - quotient * b.x, 0u));
    }
    if lt_u64(a, b) {
        return Division(vec2<u32>(0u, 0u), a);
    }
    var rounds = clz64(b) - clz64(a);
    spent += rounds;
    var divisor = shl64(b, rounds);
    var rest = a;
    var quotient = vec2<u32>(0u, 0u);
    loop {
        quotient = shl64(quotient, 1u);
        if !lt_u64(rest, divisor) {
            rest = sub64(rest, divisor);
            quotient.x |= 1u;
        }
        if rounds == 0u {
            break;
        }
        rounds -= 1u;
        divisor = shr_u64(divisor, 1u);
    }
    return Division(quotient, rest);
}

fn abs64(a: vec2<u32>) -> vec2<u32> {
    if (a.y >> 31u) != 0u {
        return neg64(a);
    }
    return a;
}

// The divisor is not zero, and not -1 with the minimum dividend.
fn div_s64(a: vec2<u32>, b: vec2<u32>) -> Division {
    var result = div_u64(abs64(a), abs64(b));
    if ((a.y ^ b.y) >> 31u) != 0u {
        result.quotient = neg64(result.quotient);
    }
    if (a.y >> 31u) != 0u {
        result.remainder = neg64(result.remainder);
    }
    return result;
}
