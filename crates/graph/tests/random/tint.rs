//! Tint's opinion of the modules of random graphs, the runtime's own passes among them.

use anywarp_tests::browser::{Browser, Severity, tint_check};

use crate::common::{Gpu, say};
use crate::device::runner;
use crate::{generate, seeds};

#[test]
fn tint_takes_the_modules() {
    let gpu = Gpu::cpu();
    let mut modules = Vec::new();
    for seed in seeds(40) {
        let (shape, _) = generate::shape(seed);
        for checked in [false, true] {
            let runner = runner(&gpu, &shape, checked);
            for (name, text) in runner.shaders() {
                // The passes between levels differ in a few numbers only.
                if seed < 3 || text.contains("aw_main") {
                    modules.push((
                        format!("seed {seed}, checked {checked}, {name}"),
                        text.clone(),
                    ));
                }
            }
        }
    }
    let Some(browser) = Browser::launch_for("Tint on the modules of graphs") else {
        return;
    };
    let given: Vec<_> = modules
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let mut wrong = Vec::new();
    for (some, answers) in given
        .chunks(64)
        .map(|some| (some, tint_check(&browser, some).unwrap()))
    {
        for ((name, _), answer) in some.iter().zip(answers) {
            if let Err(messages) = answer {
                let error = messages.iter().find(|it| it.severity == Severity::Error);
                wrong.push(format!("{name}: {}", error.map_or("", |it| &it.text)));
            }
        }
    }
    say(&format!(
        "Tint takes {} of {}\n",
        given.len() - wrong.len(),
        given.len()
    ));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
