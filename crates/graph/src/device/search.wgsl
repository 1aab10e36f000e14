// Where a workgroup of a dynamic grid belongs. In front of it stands `aw_word`, which reads the plan.

// Workgroups up to the end of a record. Sums that stopped growing are larger than any number looked for.
fn aw_sum(scan: u32, sums: u32, record: u32) -> u32 {
    return aw_word(scan + record / aw_scan_block) + aw_word(sums + 2u * record);
}

// Workgroups before a record.
fn aw_sum_before(scan: u32, sums: u32, record: u32) -> u32 {
    if record % aw_scan_block == 0u {
        return aw_word(scan + record / aw_scan_block);
    }
    return aw_sum(scan, sums, record - 1u);
}

// The record of a workgroup, which is not before `first` and not after `last`.
fn aw_find(scan: u32, sums: u32, first: u32, last: u32, unit: u32) -> u32 {
    var low = first;
    var high = last;
    while low < high {
        let middle = (low + high) / 2u;
        if aw_sum(scan, sums, middle) > unit {
            high = middle;
        } else {
            low = middle + 1u;
        }
    }
    return low;
}
