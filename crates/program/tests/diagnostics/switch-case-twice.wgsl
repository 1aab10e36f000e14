fn f(a: u32) { switch a { case 1: {} case 1u: {} default: {} } }
