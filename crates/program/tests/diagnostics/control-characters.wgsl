fn f() {
    let a = "[31m‮";
}
