// Atomic operations on the words of a buffer; the text is instantiated once for each buffer.
// `retry` is set if the operation has to be retried.

fn compare_exchange_BUFFER(at: u32, expected: u32, value: u32) -> u32 {
    let result = atomicCompareExchangeWeak(&BUFFER[at], expected, value);
    retry = !result.exchanged && result.old_value == expected;
    return result.old_value;
}

fn atomic_on_BUFFER(op: u32, at: u32, value: u32) -> u32 {
    switch op {
        case ATOMIC_Add: {
            return atomicAdd(&BUFFER[at], value);
        }
        case ATOMIC_Sub: {
            return atomicSub(&BUFFER[at], value);
        }
        case ATOMIC_MinU: {
            return atomicMin(&BUFFER[at], value);
        }
        case ATOMIC_MaxU: {
            return atomicMax(&BUFFER[at], value);
        }
        case ATOMIC_And: {
            return atomicAnd(&BUFFER[at], value);
        }
        case ATOMIC_Or: {
            return atomicOr(&BUFFER[at], value);
        }
        case ATOMIC_Xor: {
            return atomicXor(&BUFFER[at], value);
        }
        case ATOMIC_Exchange: {
            return atomicExchange(&BUFFER[at], value);
        }
        case ATOMIC_MinS, ATOMIC_MaxS: {
            let old = atomicLoad(&BUFFER[at]);
            let takes = lt_s32(value, old) == (op == ATOMIC_MinS);
            let result = atomicCompareExchangeWeak(&BUFFER[at], old, select(old, value, takes));
            retry = !result.exchanged;
            return old;
        }
        default: {
            return atomicLoad(&BUFFER[at]);
        }
    }
}
