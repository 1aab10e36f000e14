// A counter that all lanes start and step alike has, after the loop, the value with which each lane left.
//: in  0:0 u32 0 5 1 6 2 7 3 8 4 0 5 1 6 2 7 3 8 4 0 5 1 6 2 7
//: in  0:1 u32 3 1 4 0 5 8 2 6
//: in  0:2 u32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123
//::     124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151
//::     152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179
//::     180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199 200 201 202 203 204 205 206 207
//::     208 209 210 211 212 213 214 215 216 217 218 219 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235
//::     236 237 238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 259 260 261 262 263
//::     264 265 266 267 268 269 270 271 272 273 274 275 276 277 278 279 280 281 282 283 284 285 286 287 288 289 290 291
//: out 0:3 u32 3 4 1 5 0 0 0 5 2 3 5 1 0 0 0 0 5 5 3 4 1 0 0 0
//: out 0:4 u32 209 113 478 0 675 715 755 0 504 353 0 766 995 1035 1075 1115 0 0 497 257 1054 1355 1395 1435
@group(0) @binding(0) var<storage, read> wanted: array<u32>;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> weights: array<u32>;
@group(0) @binding(3) var<storage, read_write> places: array<u32>;
@group(0) @binding(4) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(24)
fn main(@builtin(local_invocation_index) i: u32) {
    var own: array<u32, 20>;
    for (var k = 0u; k < 8u; k++) {
        own[k] = weights[i * 8u + k];
    }
    var sum = 0u;
    var place = 5u;
    while place > 0u && keys[place] != wanted[i] && i % 7u != 3u {
        sum += own[place];
        place--;
    }
    places[i] = place;
    sums[i] = sum;
}
