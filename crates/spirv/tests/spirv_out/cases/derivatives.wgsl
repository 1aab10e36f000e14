@fragment fn main(@location(0) p: vec4<f32>) -> @location(0) vec4<f32> {
    return dpdx(p) + dpdy(p) + fwidth(p) + dpdxCoarse(p) + dpdyCoarse(p) + fwidthCoarse(p) + dpdxFine(p) + dpdyFine(p) + fwidthFine(p);
}
