//! The last slots in a line: a mark each, readable without colours.

use crate::duration::human;
use crate::history::{Entry, History, RunResult, Status};

/// So many slots fit.
const LENGTH: usize = 60;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

const FAILED: char = 'x';
const RUNNING: char = '>';
const SKIPPED: char = '-';
const UNKNOWN: char = '?';
/// It ran, and its duration or its end is not known.
const RAN: char = '.';

/// The line, oldest first, and what its marks mean.
pub(super) fn trend(history: &History) -> Option<(String, String)> {
    let mut last: Vec<&Entry> = history
        .slots()
        .rev()
        .take(LENGTH)
        .map(|(_, entry)| entry)
        .collect();
    last.reverse();
    if last.is_empty() {
        return None;
    }
    let durations = last.iter().filter_map(|entry| duration(entry));
    let longest = durations.max().unwrap_or(0);
    let line: String = last.iter().map(|entry| mark(entry, longest)).collect();
    let mut meanings = Vec::new();
    if line.contains(BARS) {
        meanings.push(format!("bars: how long, up to {}", human(longest)));
    }
    let marks = [
        (FAILED, "failed"),
        (RUNNING, "running"),
        (SKIPPED, "skipped"),
        (UNKNOWN, "unknown"),
        (RAN, "ran"),
    ];
    for (mark, meaning) in marks {
        if line.contains(mark) {
            meanings.push(format!("{mark} {meaning}"));
        }
    }
    Some((line, meanings.join("; ")))
}

/// How long a run took that did not fail.
fn duration(entry: &Entry) -> Option<i64> {
    let run = entry.run.as_ref()?;
    run.duration_seconds
        .filter(|_| run.result == Some(RunResult::Succeeded))
}

fn mark(entry: &Entry, longest: i64) -> char {
    let result = entry.run.as_ref().and_then(|run| run.result);
    match (result, entry.status) {
        (Some(RunResult::Failed), _) => FAILED,
        (Some(RunResult::Running), _) => RUNNING,
        (Some(RunResult::Succeeded), _) => duration(entry).map_or(RAN, |took| bar(took, longest)),
        (None, Status::Skipped) => SKIPPED,
        (None, Status::Unknown) => UNKNOWN,
        (None, _) => RAN,
    }
}

/// The longest is as high as a line, one that took no time as low as can be seen.
fn bar(took: i64, longest: i64) -> char {
    let steps = i128::from(took) * 8;
    let height = steps.checked_div(i128::from(longest)).unwrap_or(0);
    let index = usize::try_from(height - 1).unwrap_or(0);
    BARS.get(index).copied().unwrap_or('█')
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn bars_grow_with_the_duration() {
        assert_eq!(bar(0, 0), '▁');
        assert_eq!(bar(0, 100), '▁');
        assert_eq!(bar(50, 100), '▄');
        assert_eq!(bar(100, 100), '█');
        assert_eq!(bar(i64::MAX, i64::MAX), '█');
    }
}
