//! Answers about objects for which the program is called. Each file in `tests/answers/` begins with what is special about
//! its objects; `tests/support/answers.rs` describes the form.

use crate::support::answers::{Answer, Question};
use crate::support::prelude::*;

fn output(question: &Question<'_>, call: impl CommandLine) -> String {
    let (version, now) = (question.version, question.now());
    let fixed = format!("-q -f - --kubernetes-version={version} --now={now}");
    doctor_with_stdin((call, &fixed), &question.manifest()).fine()
}

fn answer(question: &Question<'_>) -> Option<Answer> {
    let call = &question.call;
    if call.answered_by().is_some() {
        return None;
    }
    if call.fields.is_empty() {
        return Some(Answer::Text(output(question, &call.words)));
    }
    let document = output(question, (&call.words, "-o json"));
    Some(call.fields_of(&serde_json::from_str(&document).unwrap()))
}

answers! {
    "tests/answers/", answer: attempts ending forecast last_run outage waiting
}
