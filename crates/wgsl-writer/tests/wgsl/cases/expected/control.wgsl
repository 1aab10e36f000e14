fn chain(x: i32) -> i32 {
    if x < 0 {
        return -1;
    } else if x == 0 {
        return 0;
    } else if x < 10 {
        return 1;
    } else {
        return 2;
    }
}

fn selecting(x: i32, y: u32) -> i32 {
    var r = 0;
    switch x {
        case 1, 2: {
            r = 1;
        }
        case -3, default: {
            r = 2;
        }
        case 7: {
            if y > 2u {
                break;
            }
            r = 3;
        }
    }
    switch y {
        case 1u: {
            return 4;
        }
        default: {
        }
    }
    return r;
}

fn whiles(n: u32) -> u32 {
    var i = 0u;
    while i < n {
        if i == 5u {
            continue;
        }
        i += 2u;
    }
    loop {
        i += 1u;
        if i > 20u {
            break;
        }
        continuing {
            i += 1u;
            break if i == 50u;
        }
    }
    loop {
        if i > 100u {
            return i;
        }
        i *= 2u;
    }
    return i;
}

fn blocks() -> i32 {
    let x = 2;
    {
        _ = x + 3;
    }
    {
        var x_1 = 5;
        x_1 += 1;
    }
    var x_2 = 1;
    return x_2;
}

fn empty(c: bool) {
    if c {
    }
}
