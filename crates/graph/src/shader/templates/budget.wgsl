//: if thread
var<private> aw_spent_$NUMBER: u32;
fn aw_spend_$NUMBER(count: u32, output: u32) -> bool {
    if count > $MAXu - aw_spent_$NUMBER {
        aw_fault(aw_rule_budget, output, count + aw_spent_$NUMBER, $MAXu);
        return false;
    }
    aw_spent_$NUMBER += count;
    return true;
}
//: else
var<workgroup> aw_spent_$NUMBER: atomic<u32>;
fn aw_spend_$NUMBER(count: u32, output: u32) -> bool {
    // More than the budget counts as one more: a single call cannot wrap the sum around. Very many
    // refused ones can, but then there is a fault already, and aw_take keeps to the queue.
    let before = atomicAdd(&aw_spent_$NUMBER, min(count, $MAXu + 1u));
    if before > $MAXu || count > $MAXu - before {
        aw_fault(aw_rule_budget, output, count + before, $MAXu);
        return false;
    }
    return true;
}
//: end
