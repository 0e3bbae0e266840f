//! Answers about objects that the library has. `tests/answers/` of the project has the tables, and
//! `tests/support/answers.rs` describes their form.

use serde_json::json;

use crate::support::answers::{Answer, Document, Question};
use crate::support::world::{explained, past, scanned};

fn answer(question: &Question<'_>) -> Option<Answer> {
    let call = &question.call;
    let (manifest, now) = (question.manifest(), question.now());
    let document = match call.answered_by()? {
        Document::Forecast => return None,
        Document::Explanation => json!({"items": [explained(&manifest, question.version, &now)]}),
        Document::History => json!({"items": [past(&manifest, question.version, &now)]}),
        Document::Survey => scanned(&manifest, question.version, &now),
    };
    Some(call.of_document(&document))
}

answers! {
    "../../tests/answers/", answer: attempts ending forecast last_run outage waiting
}
