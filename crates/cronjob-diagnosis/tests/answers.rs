//! Answers about objects that follow from the explanation of one `CronJob`. `tests/answers/` of the project has the tables,
//! and `tests/support/answers.rs` describes their form.

use crate::support::answers::{Answer, Question};
use crate::support::explained::explained;

fn answer(question: &Question<'_>) -> Option<Answer> {
    let call = &question.call;
    call.is_about_explanation().then(|| {
        let item = explained(&question.manifest(), question.version, &question.now());
        call.of_explanation(&item)
    })
}

answers! {
    "../../tests/answers/", answer: attempts ending forecast last_run outage waiting
}
