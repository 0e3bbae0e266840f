//! The names of pods, which begin with that of their Job.

/// The number of random characters at the end of a pod name.
const RANDOM: usize = 5;

/// A name has 63 characters at most, and the random ones are always there.
const LONGEST_PREFIX: usize = 63 - RANDOM;

/// Longer numbers in the name of a pod are not the index of a pod, but the scheduled time of the Job.
const INDEX_DIGITS: usize = 6;

/// What the names of the pods of a Job begin with; for those of an indexed Job the index follows.
pub fn prefix_of_job(job: &str) -> String {
    let mut prefix = format!("{job}-");
    if prefix.is_char_boundary(LONGEST_PREFIX) {
        prefix.truncate(LONGEST_PREFIX);
    }
    prefix
}

/// The prefixes that a Job may have given to a pod of this name, the likeliest first.
pub fn prefixes_of_pod(pod: &str) -> impl Iterator<Item = &str> {
    let end = pod.len().checked_sub(RANDOM);
    let prefix = end.and_then(|end| pod.get(..end));
    let indexed = prefix.and_then(|prefix| {
        let (job, index) = prefix.strip_suffix('-')?.rsplit_once('-')?;
        let digits = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
        // With the dash.
        prefix
            .get(..=job.len())
            .filter(|_| digits && index.len() <= INDEX_DIGITS)
    });
    prefix.into_iter().chain(indexed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefixes(pod: &str) -> Vec<&str> {
        prefixes_of_pod(pod).collect()
    }

    #[test]
    fn prefix_of_a_job_is_one_of_its_pods() {
        assert_eq!(prefix_of_job("a-29552160"), "a-29552160-");
        assert_eq!(prefixes("a-29552160-x2v8p"), ["a-29552160-"]);
        // The third of an indexed Job.
        let indexed = prefixes("a-29552160-2-x2v8p");
        assert_eq!(indexed, ["a-29552160-2-", "a-29552160-"]);
    }

    #[test]
    fn prefix_of_a_long_job_name_is_cut_to_58_characters() {
        let job = "a".repeat(52) + "-29552160";
        let prefix = prefix_of_job(&job);
        assert_eq!(prefix.len(), 58);
        let pod = format!("{prefix}x2v8p");
        assert_eq!(prefixes(&pod)[0], prefix);
    }

    #[test]
    fn prefixes_of_short_or_foreign_names_do_not_panic() {
        assert_eq!(prefixes("x"), [""; 0]);
        assert_eq!(prefixes("ééé"), [""; 0]);
        assert_eq!(prefixes("-x2v8p"), ["-"]);
    }
}
