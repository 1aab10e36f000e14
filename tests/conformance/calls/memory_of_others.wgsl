// What a function writes to memory is there when it has returned, and it sees what was written before.
//: in  0:0 u32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123
//: out 0:0 u32 200 204 206 208 210 210 214 216 218 220 220 224 226 228 230 230 234 236 238 240 240 244 246 248
//: out 0:1 u32 100 100 200 101 102 204 102 103 206 103 104 208 104 105 210 105 105 210 106 107 214 107 108 216 108 109 218 109 110 220 110 110 220 111 112 224 112 113 226 113 114 228 114 115 230 115 115 230 116 117 234 117 118 236 118 119 238 119 120 240 120 120 240 121 122 244 122 123 246 123 124 248
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

fn raise(at: u32, by: u32) {
    data[at] += by;
}

fn double(at: u32) -> u32 {
    raise(at, data[at]);
    return data[at];
}

@compute @workgroup_size(24)
fn main(@builtin(local_invocation_index) i: u32) {
    out[3u * i] = data[i];
    if i % 5u != 0u {
        raise(i, 1u);
    }
    out[3u * i + 1u] = data[i];
    out[3u * i + 2u] = double(i);
}
