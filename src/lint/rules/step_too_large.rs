use crate::lint::{Found, Subject};
use crate::schedule::{FieldName, Schedule, Step};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let written = subject.str("spec.schedule").unwrap_or_default();
    if !written.contains('/') {
        return Vec::new();
    }
    let steps = subject.schedule().map(Schedule::steps);
    let steps = steps.unwrap_or_default().into_iter();
    steps
        .filter_map(|step| {
            let only = only_value(&step)?;
            let Step { text, field, .. } = &step;
            let message =
                format!("{text} never comes to a second value: the {field} is {only} only");
            let found = subject.found("spec.schedule", message);
            Some(match help(&step) {
                Some(help) => found.help(help),
                None => found,
            })
        })
        .collect()
}

/// The value that is left of a range, unless the step is just the whole round: */60 comes back
/// every 60 minutes, as it says.
fn only_value(step: &Step) -> Option<u32> {
    let [only] = step.values.as_slice() else {
        return None;
    };
    let (minimum, maximum) = step.field.bounds();
    let is_round = step.is_open && step.step == maximum - minimum + 1;
    // 5-5/2 is a range of one value to begin with.
    let is_range = step.is_open || !is_single(&step.text);
    (!is_round && is_range).then_some(*only)
}

fn is_single(text: &str) -> bool {
    let (limits, _) = text.split_once('/').unwrap_or((text, ""));
    limits
        .split_once('-')
        .is_some_and(|(low, high)| low == high)
}

/// Minutes and hours have larger neighbours.
fn help(step: &Step) -> Option<String> {
    if !step.is_open {
        return None;
    }
    let count = step.step;
    match step.field {
        FieldName::Minute if count.is_multiple_of(60) && 24_u64.is_multiple_of(count / 60) => {
            Some(format!(
                "For every {} hours write 0 */{} in the first two fields.",
                count / 60,
                count / 60
            ))
        }
        FieldName::Minute => Some(format!(
            "@every {count}m comes every {count} minutes, counted from the run before."
        )),
        FieldName::Hour => Some(format!(
            "@every {count}h comes every {count} hours, counted from the run before."
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    fn messages(schedule: &str) -> Vec<String> {
        let text = spec(&format!("schedule: '{schedule}'"));
        found("step-too-large", "1.36", &text)
    }

    #[test]
    fn only_one_value_is_left() {
        let cases = [
            (
                "*/90 * * * *",
                "*/90 never comes to a second value: the minute is 0 only",
            ),
            (
                "30/45 * * * *",
                "30/45 never comes to a second value: the minute is 30 only",
            ),
            (
                "0-30/45 * * * *",
                "0-30/45 never comes to a second value: the minute is 0 only",
            ),
            (
                "0 */48 * * *",
                "*/48 never comes to a second value: the hour is 0 only",
            ),
            (
                "0 0 */40 * *",
                "*/40 never comes to a second value: the day of month is 1 only",
            ),
            (
                "0 0 1 */18 *",
                "*/18 never comes to a second value: the month is 1 only",
            ),
            (
                "0 0 * * */14",
                "*/14 never comes to a second value: the day of week is 0 only",
            ),
        ];
        for (schedule, message) in cases {
            assert_eq!(
                messages(schedule),
                [format!("7:13 {message}")],
                "{schedule}"
            );
        }
    }

    #[test]
    fn a_whole_round_is_as_it_says() {
        for sound in [
            "*/60 * * * *",
            "5/60 * * * *",
            "0 */24 * * *",
            "0 0 1 */12 *",
            "*/30 5-5/2 * * *",
        ] {
            assert!(messages(sound).is_empty(), "{sound}");
        }
    }
}
