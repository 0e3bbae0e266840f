//! Names for Jobs that are started by hand.

/// The letters and digits of which Kubernetes makes random names: no word comes of them, and none
/// is taken for another.
const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// So many random characters make a name unique.
const RANDOM: usize = 5;

/// A name of a Job may have 63 characters, but the names of its pods begin with no more than this
/// of it: of a longer one they would not tell which Job they are of.
const LONGEST: usize = 57;

const MIDDLE: &str = "-manual-";

/// Five characters, of a number that is random.
///
/// ```
/// assert_eq!(cronjob_doctor::change::suffix(0), "bbbbb");
/// assert_eq!(cronjob_doctor::change::suffix(u64::MAX).len(), 5);
/// ```
pub fn suffix(mut random: u64) -> String {
    let letters = (0..RANDOM).filter_map(|_| {
        let base = ALPHABET.len() as u64;
        let index = usize::try_from(random % base).ok()?;
        random /= base;
        ALPHABET.get(index).copied().map(char::from)
    });
    letters.collect()
}

/// The name of a Job that is started by hand: that of the CronJob, cut where it is long, and a
/// random suffix.
///
/// ```
/// use cronjob_doctor::change::manual_name;
///
/// assert_eq!(manual_name("nightly", "x7k2p"), "nightly-manual-x7k2p");
/// ```
pub fn manual_name(cron_job: &str, suffix: &str) -> String {
    let room = LONGEST.saturating_sub(MIDDLE.len() + suffix.len());
    let cut = cron_job
        .char_indices()
        .map(|(at, letter)| at + letter.len_utf8());
    let end = cut.take_while(|end| *end <= room).last().unwrap_or(0);
    // A part of a name ends neither with a dash nor with a dot.
    let front = cron_job.get(..end).unwrap_or_default();
    let front = front.trim_end_matches(['-', '.']);
    format!("{front}{MIDDLE}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_differ() {
        let mut all: Vec<String> = (0..1000).map(suffix).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 1000);
        assert_eq!(suffix(27 * 27 + 2), "dbcbb");
    }

    #[test]
    fn long_names_are_cut() {
        let fits = "a".repeat(44);
        assert_eq!(manual_name(&fits, "x7k2p"), format!("{fits}-manual-x7k2p"));
        let longest = "a".repeat(52);
        let name = manual_name(&longest, "x7k2p");
        assert_eq!((name.len(), name), (57, format!("{fits}-manual-x7k2p")));
    }

    #[test]
    fn no_part_of_a_name_ends_with_a_dash() {
        let dotted = format!("{}.-{}", "a".repeat(42), "b".repeat(8));
        assert_eq!(
            manual_name(&dotted, "x7k2p"),
            format!("{}-manual-x7k2p", "a".repeat(42))
        );
    }
}
