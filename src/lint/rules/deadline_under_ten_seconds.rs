use crate::controller::Generation;
use crate::lint::{Found, Subject};

const DEADLINE: &str = "spec.startingDeadlineSeconds";

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let deadline = subject.whole_number(DEADLINE);
    let Some(deadline) = deadline.filter(|deadline| (1..10).contains(deadline)) else {
        return Vec::new();
    };
    let message = match subject.behaviour().generation {
        Generation::V1 => format!(
            "Kubernetes {} looks every 10 s only: about {} of 10 runs are seen too late and lost",
            subject.context.release,
            10 - deadline
        ),
        _ => format!("a run that cannot start within {deadline} s is lost, and no event says so"),
    };
    vec![subject.found(DEADLINE, message)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn what_it_means_depends_on_the_controller() {
        let text = spec("schedule: 0 9 * * *\nstartingDeadlineSeconds: 7");
        assert_eq!(
            found("CJD402", "1.20", &text),
            [
                "8:28 Kubernetes 1.20 looks every 10 s only: about 3 of 10 runs are seen too late and \
              lost"
            ]
        );
        assert_eq!(
            found("CJD402", "1.36", &text),
            ["8:28 a run that cannot start within 7 s is lost, and no event says so"]
        );
        for sound in ["0", "10", "-1", "ten"] {
            let text = spec(&format!(
                "schedule: 0 9 * * *\nstartingDeadlineSeconds: {sound}"
            ));
            assert!(found("CJD402", "1.36", &text).is_empty(), "{sound}");
        }
    }
}
