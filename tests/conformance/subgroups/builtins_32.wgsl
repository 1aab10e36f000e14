// Builtin values of subgroups of 32, of which the last is not full.
//: needs subgroups
//: subgroup-size 32
//: out 0:0 u32 2000 2001 2002 2003 2004 2005 2006 2007 2008 2009 2010 2011 2012 2013 2014 2015 2016 2017 2018
//::     2019 2020 2021 2022 2023 2024 2025 2026 2027 2028 2029 2030 2031 2200 2201 2202 2203 2204 2205 2206
//::     2207 2208 2209 2210 2211 2212 2213 2214 2215 2216
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(49)
fn main(
    @builtin(local_invocation_index) i: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(num_subgroups) count: u32,
) {
    out[i] = select(1000u, 2000u, size == 32u && count == 2u) + subgroup * 200u + lane;
}
