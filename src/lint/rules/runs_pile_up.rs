use super::limits::runs_without_limit;
use crate::duration::exact;
use crate::lint::{Found, Subject};

/// A hundred of them a day.
const FREQUENT: i64 = 900;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let is_said = subject.get("spec.concurrencyPolicy").is_some();
    if is_said || !runs_without_limit(subject) {
        return Vec::new();
    }
    let Some(period) = subject.period().filter(|period| period.typical <= FREQUENT) else {
        return Vec::new();
    };
    let message = format!(
        "due every {}, with nothing to keep runs that hang from piling up",
        exact(period.typical)
    );
    vec![subject.found("spec.schedule", message)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn frequent_and_without_any_limit() {
        let text = spec("schedule: '*/5 * * * *'");
        assert_eq!(
            found("runs-pile-up", "1.36", &text),
            ["7:13 due every 5m, with nothing to keep runs that hang from piling up"]
        );
        let limited = text.replace(
            "    spec:\n      template",
            "    spec:\n      activeDeadlineSeconds: 60\n      template",
        );
        assert!(found("runs-pile-up", "1.36", &limited).is_empty());
        for sound in [
            "schedule: '*/5 * * * *'\nconcurrencyPolicy: Allow",
            "schedule: '*/5 * * * *'\nconcurrencyPolicy: Forbid",
            "schedule: '*/20 * * * *'",
        ] {
            assert!(
                found("runs-pile-up", "1.36", &spec(sound)).is_empty(),
                "{sound}"
            );
        }
    }
}
