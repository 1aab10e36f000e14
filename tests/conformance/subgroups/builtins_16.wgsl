// Builtin values of subgroups of 16, of which the last is not full.
//: needs subgroups
//: subgroup-size 16
//: out 0:0 u32 2000 2001 2002 2003 2004 2005 2006 2007 2008 2009 2010 2011 2012 2013 2014 2015 2200 2201 2202
//::     2203 2204 2205 2206 2207 2208
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(25)
fn main(
    @builtin(local_invocation_index) i: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(num_subgroups) count: u32,
) {
    out[i] = select(1000u, 2000u, size == 16u && count == 2u) + subgroup * 200u + lane;
}
