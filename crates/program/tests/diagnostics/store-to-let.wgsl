fn f() { let a = 1u; a = 2u; }
