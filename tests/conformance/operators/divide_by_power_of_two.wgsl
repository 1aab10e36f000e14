// Division by 1 << k, with the shift amount modulo 32; of signed numbers, 1 << 31 is the smallest.
//: in  0:0 u32 0 1 2 3 7 31 32 65535 2147483647 2147483648 4294967295
//: in  0:1 u32 0 1 2 5 16 30 31 32 33
//: out 0:2 u32 0 1 2 3 7 31 32 65535 2147483647 2147483648 4294967295
//:: 0 0 1 1 3 15 16 32767 1073741823 1073741824 2147483647
//:: 0 0 0 0 1 7 8 16383 536870911 536870912 1073741823
//:: 0 0 0 0 0 0 1 2047 67108863 67108864 134217727
//:: 0 0 0 0 0 0 0 0 32767 32768 65535
//:: 0 0 0 0 0 0 0 0 1 2 3
//:: 0 0 0 0 0 0 0 0 0 1 1
//:: 0 1 2 3 7 31 32 65535 2147483647 2147483648 4294967295
//:: 0 0 1 1 3 15 16 32767 1073741823 1073741824 2147483647
//: out 0:3 u32 0 0 0 0 0 0 0 0 0 0 0
//:: 0 1 0 1 1 1 0 1 1 0 1
//:: 0 1 2 3 3 3 0 3 3 0 3
//:: 0 1 2 3 7 31 0 31 31 0 31
//:: 0 1 2 3 7 31 32 65535 65535 0 65535
//:: 0 1 2 3 7 31 32 65535 1073741823 0 1073741823
//:: 0 1 2 3 7 31 32 65535 2147483647 0 2147483647
//:: 0 0 0 0 0 0 0 0 0 0 0
//:: 0 1 0 1 1 1 0 1 1 0 1
//: out 0:4 i32 0 1 2 3 7 31 32 65535 MAX MIN -1
//:: 0 0 1 1 3 15 16 32767 1073741823 -1073741824 0
//:: 0 0 0 0 1 7 8 16383 536870911 -536870912 0
//:: 0 0 0 0 0 0 1 2047 67108863 -67108864 0
//:: 0 0 0 0 0 0 0 0 32767 -32768 0
//:: 0 0 0 0 0 0 0 0 1 -2 0
//:: 0 0 0 0 0 0 0 0 0 1 0
//:: 0 1 2 3 7 31 32 65535 MAX MIN -1
//:: 0 0 1 1 3 15 16 32767 1073741823 -1073741824 0
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> shifts: array<u32>;
@group(0) @binding(2) var<storage, read_write> quotients: array<u32>;
@group(0) @binding(3) var<storage, read_write> remainders: array<u32>;
@group(0) @binding(4) var<storage, read_write> truncated: array<i32>;

@compute @workgroup_size(11)
fn main(@builtin(local_invocation_index) i: u32) {
    for (var k = 0u; k < arrayLength(&shifts); k++) {
        let at = k * 11u + i;
        quotients[at] = a[i] / (1u << shifts[k]);
        remainders[at] = a[i] % (1u << shifts[k]);
        truncated[at] = bitcast<i32>(a[i]) / (1i << shifts[k]);
    }
}
