use super::uneven_catch_up::pauses;
use crate::controller::Arithmetic;
use crate::duration::exact;
use crate::lint::{Found, Subject};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    if subject.behaviour().arithmetic != Arithmetic::Multiplied {
        return Vec::new();
    }
    let Some(period) = pauses(subject) else {
        return Vec::new();
    };
    let message = format!(
        "after two missed runs Kubernetes {} can start one in the pause of {}, at a time that is \
         not in the schedule",
        subject.context.release,
        exact(period.longest)
    );
    let help = format!(
        "Set startingDeadlineSeconds to at most {}, so that only one slot counts.",
        period.shortest
    );
    vec![subject.found("spec.schedule", message).help(help)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn only_where_the_release_multiplies() {
        let text = spec("schedule: 0 8-18 * * *");
        assert_eq!(
            found("phantom-start", "1.20-1.27.3", &text),
            [
                "7:13 after two missed runs Kubernetes 1.27.3 can start one in the pause of 14h, \
              at a time that is not in the schedule (1.21 to 1.24, 1.27.3)"
            ]
        );
        let text = spec("schedule: 0 8-18 * * *\nstartingDeadlineSeconds: 3600");
        assert!(found("phantom-start", "1.25.3", &text).is_empty());
    }
}
