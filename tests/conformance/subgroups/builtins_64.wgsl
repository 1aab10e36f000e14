// Builtin values of subgroups of 64, of which the last is not full.
//: needs subgroups
//: subgroup-size 64
//: out 0:0 u32 2000 2001 2002 2003 2004 2005 2006 2007 2008 2009 2010 2011 2012 2013 2014 2015 2016 2017 2018
//::     2019 2020 2021 2022 2023 2024 2025 2026 2027 2028 2029 2030 2031 2032 2033 2034 2035 2036 2037 2038
//::     2039 2040 2041 2042 2043 2044 2045 2046 2047 2048 2049 2050 2051 2052 2053 2054 2055 2056 2057 2058
//::     2059 2060 2061 2062 2063 2200 2201 2202 2203 2204 2205 2206 2207 2208 2209 2210 2211 2212 2213 2214
//::     2215 2216 2217 2218 2219 2220 2221 2222 2223 2224 2225 2226 2227 2228 2229 2230 2231 2232
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(97)
fn main(
    @builtin(local_invocation_index) i: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(num_subgroups) count: u32,
) {
    out[i] = select(1000u, 2000u, size == 64u && count == 2u) + subgroup * 200u + lane;
}
