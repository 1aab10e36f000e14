// SHA-256 (FIPS 180-4), many messages at once. Invocation i hashes the text of its number, "0", "1", .., then the digest,
// and so on, REPEATS times in all, and draws an icon of 16x16 pixels from the last digest.
//
//   cargo run --release -- run examples/gallery/sha256.wgsl --workgroups 16 --constant REPEATS=1000 --out digests=digests.bin --out icons=sha256.png:512x512:rgba8
//
// 32 icons are side by side. The words of a digest are as in the standard, so its bytes are in big-endian order.

override REPEATS: u32 = 1u;
const ICONS_IN_ROW = 32u;
const ICON = 16u;

@group(0) @binding(0) var<storage, read_write> digests: array<array<u32, 8>>;
@group(0) @binding(1) var<storage, read_write> icons: array<u32>;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
const ROUNDS = array<u32, 64>(
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);

fn rotate(word: u32, bits: u32) -> u32 {
    return (word >> bits) | (word << (32u - bits));
}

// The digest of one padded block.
fn sha256(block: array<u32, 16>) -> array<u32, 8> {
    let start = array<u32, 8>(
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    );
    var schedule = block;
    var s = start;
    for (var round = 0u; round < 64u; round++) {
        let place = round % 16u;
        if round >= 16u {
            let early = schedule[(place + 1u) % 16u];
            let late = schedule[(place + 14u) % 16u];
            schedule[place] += (rotate(early, 7u) ^ rotate(early, 18u) ^ (early >> 3u)) + schedule[(place + 9u) % 16u]
                + (rotate(late, 17u) ^ rotate(late, 19u) ^ (late >> 10u));
        }
        let first = s[7] + (rotate(s[4], 6u) ^ rotate(s[4], 11u) ^ rotate(s[4], 25u)) + ((s[4] & s[5]) ^ (~s[4] & s[6]))
            + ROUNDS[round] + schedule[place];
        let second = (rotate(s[0], 2u) ^ rotate(s[0], 13u) ^ rotate(s[0], 22u))
            + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        s = array<u32, 8>(first + second, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]);
    }
    for (var i = 0u; i < 8u; i++) {
        s[i] += start[i];
    }
    return s;
}

// The block of a number's decimal digits: a 1 bit follows the text, and the last word is its length in bits.
fn block_of_text(number: u32) -> array<u32, 16> {
    var block = array<u32, 16>();
    var length = 1u;
    for (var rest = number / 10u; rest > 0u; rest /= 10u) {
        length++;
    }
    var rest = number;
    for (var i = length; i > 0u; i--) {
        block[(i - 1u) / 4u] |= (48u + rest % 10u) << (24u - (i - 1u) % 4u * 8u);
        rest /= 10u;
    }
    block[length / 4u] |= 0x80u << (24u - length % 4u * 8u);
    block[15] = length * 8u;
    return block;
}

fn block_of_digest(digest: array<u32, 8>) -> array<u32, 16> {
    var block = array<u32, 16>();
    for (var i = 0u; i < 8u; i++) {
        block[i] = digest[i];
    }
    block[8] = 0x80000000u;
    block[15] = 256u;
    return block;
}

// A pattern of 7x7 squares, the same from the left and from the right, in a colour of the digest.
fn draw(icon: u32, digest: array<u32, 8>) {
    let corner = vec2u(icon % ICONS_IN_ROW, icon / ICONS_IN_ROW) * ICON;
    let color = 0.25 + 0.75 * unpack4x8unorm(digest[7]).rgb;
    for (var i = 0u; i < ICON * ICON; i++) {
        let at = vec2u(i % ICON, i / ICON);
        let square = (at - 1u) / 2u;
        let column = min(square.x, 6u - square.x);
        let is_margin = any(at < vec2u(1u)) || any(at > vec2u(14u));
        let is_set = !is_margin && ((digest[column] >> square.y) & 1u) == 1u;
        let shown = select(vec3f(0.06, 0.07, 0.1), color, is_set);
        icons[(corner.y + at.y) * ICONS_IN_ROW * ICON + corner.x + at.x] = pack4x8unorm(vec4f(shown, 1.0));
    }
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    var digest = sha256(block_of_text(id.x));
    for (var i = 1u; i < REPEATS; i++) {
        digest = sha256(block_of_digest(digest));
    }
    digests[id.x] = digest;
    draw(id.x, digest);
}
