use crate::admission::successor;
use crate::lint::{Found, Subject};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    let version = subject.str("apiVersion").unwrap_or_default();
    // What the release does not serve is refused, which is not said twice.
    let Some((newer, dropped)) = successor(version, subject.context.release) else {
        return Vec::new();
    };
    let message = format!("{version} is not served from Kubernetes 1.{dropped} on");
    let fix = subject.replace("apiVersion", newer);
    vec![
        subject
            .found("apiVersion", message)
            .help(format!("Write {newer}; the fields are the same."))
            .fix(fix),
    ]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{fixed, found, spec};

    #[test]
    fn as_long_as_both_are_served() {
        let beta = spec("schedule: 0 6 * * *").replace("batch/v1", "batch/v1beta1");
        assert_eq!(
            found("api-version-dropped", "1.19-1.26", &beta),
            ["1:13 batch/v1beta1 is not served from Kubernetes 1.25 on (1.21 to 1.24)"]
        );
        let alpha = spec("schedule: 0 6 * * *").replace("batch/v1", "batch/v2alpha1");
        assert_eq!(
            found("api-version-dropped", "1.6-1.21", &alpha),
            ["1:13 batch/v2alpha1 is not served from Kubernetes 1.21 on (1.8 to 1.20)"]
        );
        let today = spec("schedule: 0 6 * * *");
        assert!(found("api-version-dropped", "1.24", &today).is_empty());
    }

    #[test]
    fn the_newest_that_is_served() {
        let today = spec("schedule: 0 6 * * *");
        let beta = today.replace("batch/v1", "batch/v1beta1");
        assert_eq!(fixed("api-version-dropped", "1.24", &beta), Some(today));
        let alpha = beta.replace("v1beta1", "v2alpha1");
        assert_eq!(fixed("api-version-dropped", "1.20", &alpha), Some(beta));
    }
}
