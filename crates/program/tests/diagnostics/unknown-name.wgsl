fn f() -> u32 {
    return conut;
}
