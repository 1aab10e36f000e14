// Invocations that take no part in a branch store no texels; those that read beside the texture get zeros.
//: needs textures
//: texture 0:0 2d r32uint 8x5
//: texture 0:1 2d r32uint 8x5
//: in 0:0 u32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139
//: out 0:1 u32 1101 0 1103 0 1105 0 1107 0 0 1110 0 1112 0 1114 0 1000 1117 0 1119 0 1121 0 1123 0 0 1126 0 1128 0 1130 0 1000 1133 0 1135 0 1137 0 1139 0
@group(0) @binding(0) var source: texture_2d<u32>;
@group(0) @binding(1) var sink: texture_storage_2d<r32uint, write>;
@compute @workgroup_size(8, 5) fn main(@builtin(local_invocation_id) id: vec3<u32>) {
    if (id.x + id.y) % 2u == 0u {
        let right = textureLoad(source, id.xy + vec2(1u, 0u), 0).x;
        textureStore(sink, id.xy, vec4(right + 1000u, 0u, 0u, 0u));
    }
}
