//! The views of the tests. The deep centres are nuclei near c = i, found by `examples/nucleus.rs`.

use mandelbrot::{Board, JobDescriptor, Limit, View};

/// A view with its expected properties.
pub(crate) struct Sight {
    pub(crate) name: &'static str,
    pub(crate) re: &'static str,
    pub(crate) im: &'static str,
    pub(crate) width: &'static str,
    pub(crate) limit: u32,
}

pub(crate) const SIZE: [u32; 2] = [32, 24];

impl Sight {
    pub(crate) fn view(&self) -> View {
        View::parse(self.re, self.im, self.width).unwrap()
    }

    pub(crate) fn descriptor(&self, board: Board) -> JobDescriptor {
        JobDescriptor {
            limit: Limit::Iterations(self.limit),
            ..JobDescriptor::new(self.view(), SIZE, board)
        }
    }
}

pub(crate) const WHOLE: Sight = Sight {
    name: "the whole set",
    re: "-0.75",
    im: "0",
    width: "3",
    limit: 300,
};

pub(crate) const VALLEY: Sight = Sight {
    name: "a valley",
    re: "-0.75",
    im: "0.125",
    width: "0.015625",
    limit: 500,
};

pub(crate) const SPIRAL: Sight = Sight {
    name: "a spiral at 1e-10",
    re: "-0.743643887037151",
    im: "0.131825904205330",
    width: "1e-10",
    limit: 3000,
};

/// Period 15, minibrot size 10^-10.1.
pub(crate) const AT_10: Sight = Sight {
    name: "a copy at 1e-10",
    re: "0.000006842778712581655930934244",
    im: "0.999996585822812043869649916877",
    width: "5e-10",
    limit: 400,
};

/// Period 29, minibrot size 10^-20.6. The centre is next to it.
pub(crate) const AT_20: Sight = Sight {
    name: "a copy at 1e-20",
    re: "0.0000000000391280331442782622579064763281",
    im: "1.0000000000130778978601660705068955240907",
    width: "1e-20",
    limit: 800,
};

/// Period 81, minibrot size 10^-59.8.
pub(crate) const AT_60: Sight = Sight {
    name: "a copy at 1e-60",
    re: "0.0000000000000000000000000000003544771316819328420445298389516158397798671392851",
    im: "0.9999999999999999999999999999989394325361289183561328939347583321065608558984987",
    width: "5e-60",
    limit: 1200,
};

/// Period 401, minibrot size 10^-300.6. The centre is next to it.
pub(crate) const AT_300: Sight = Sight {
    name: "a copy at 1e-300",
    re: "0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000013727452741504302492262742896624338692685441784380163543762177957474653409182280654553333582443609194444405861746846676428834309565078944831721510298895222329522700140763",
    im: "0.99999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999958928550142606027609044311945306240215327695383360298998461414750701169868902115544288729913025174378113582335609348837052617248967084039695052610663317480127377841799955",
    width: "3e-299",
    limit: 4000,
};

/// The same place, but the centre is next to the minibrot and escapes. Pixels of the minibrot need rebasing, where they
/// are 1e-30 from zero.
pub(crate) const ASIDE: Sight = Sight {
    name: "beside a copy at 1e-60",
    re: "0.0000000000000000000000000000003544771316819328420445298389530158397798671392851",
    im: "0.9999999999999999999999999999989394325361289183561328939347574321065608558984987",
    width: "5e-60",
    limit: 1200,
};
