//: if array
    if aw_me == 0u { aw_agreed = index; }
    let agreed_index = workgroupUniformLoad(&aw_agreed);
    if agreed_index != index { aw_fault(aw_rule_not_uniform, $NUMBERu, index, agreed_index); }
//: end
    if aw_me == 0u { aw_agreed = count; }
    let agreed_count = workgroupUniformLoad(&aw_agreed);
    if agreed_count != count { aw_fault(aw_rule_not_uniform, $NUMBERu, count, agreed_count); }
