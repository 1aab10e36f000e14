fn f() {}
enable f16;
