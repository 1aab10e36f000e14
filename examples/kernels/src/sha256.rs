//! SHA-256 (FIPS 180-4) of many short messages, one for each invocation.

use gpu_sdk::{Binding, thread_id};

/// Bytes of a message, packed into little-endian words.
pub type Message = [u32; 16];

/// The messages.
pub static MESSAGES: Binding<Message> = Binding::new(0, 0);
/// The length of each message in bytes, at most 64.
pub static LENGTHS: Binding<u32> = Binding::new(0, 1);
/// The digests.
pub static DIGESTS: Binding<[u32; 8]> = Binding::new(0, 2);

const START: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

static ROUNDS: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

/// Hashes the message of this invocation.
#[gpu_sdk::kernel]
pub fn sha256() {
    let i = thread_id();
    let (message, len) = (MESSAGES.load(i), LENGTHS.load(i).min(64));
    let mut state = START;
    for block in 0..(len + 9).div_ceil(64) {
        compress(&mut state, &padded(&message, len, block));
    }
    DIGESTS.store(i, state);
}

/// A block of the padded message: a 1 bit after the message, zeros, and its length in bits.
fn padded(message: &Message, len: u32, block: u32) -> [u32; 16] {
    let blocks = (len + 9).div_ceil(64);
    core::array::from_fn(|word| {
        if block + 1 == blocks && word == 15 {
            return len * 8;
        }
        let first = block * 64 + word as u32 * 4;
        let bytes = [first, first + 1, first + 2, first + 3];
        u32::from_be_bytes(bytes.map(|at| byte(message, len, at)))
    })
}

/// A byte of the padded message.
fn byte(message: &Message, len: u32, at: u32) -> u8 {
    match at {
        at if at < len => (message[(at / 4) as usize % 16] >> (at % 4 * 8)) as u8,
        at if at == len => 0x80,
        _ => 0,
    }
}

fn compress(state: &mut [u32; 8], block: &[u32; 16]) {
    let mut schedule = *block;
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (round, constant) in ROUNDS.into_iter().enumerate() {
        let place = round % 16;
        if round >= 16 {
            schedule[place] = next_word(&schedule, place);
        }
        let first = h
            .wrapping_add(e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25))
            .wrapping_add(e & f ^ !e & g)
            .wrapping_add(constant)
            .wrapping_add(schedule[place]);
        let second = (a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22))
            .wrapping_add(a & b ^ a & c ^ b & c);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    for (word, add) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(add);
    }
}

/// The next word of the message schedule, which replaces the one 16 rounds before.
fn next_word(schedule: &[u32; 16], place: usize) -> u32 {
    let word = |ahead: usize| schedule[(place + ahead) % 16];
    let (early, late) = (word(1), word(14));
    let early = early.rotate_right(7) ^ early.rotate_right(18) ^ early >> 3;
    let late = late.rotate_right(17) ^ late.rotate_right(19) ^ late >> 10;
    word(0)
        .wrapping_add(early)
        .wrapping_add(word(9))
        .wrapping_add(late)
}
