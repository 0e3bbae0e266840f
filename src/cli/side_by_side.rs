//! Work that is done on several cores at the same time.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The results of the items, in their order. At most `most` items are worked on at the same time.
pub fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    most: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let workers = most.min(items.len());
    if workers <= 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    // Takes one item after the other until there is none left.
    let worker = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return done;
            };
            done.push((index, work(item)));
        }
    };
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
        joined
            .flat_map(|done| done.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_the_items() {
        let items: Vec<u64> = (0..1_000).collect();
        let squares: Vec<u64> = items.iter().map(|number| number * number).collect();
        for most in [0, 1, 2, 7, 2_000] {
            let found = side_by_side(&items, most, |number| number * number);
            assert_eq!(found, squares, "{most}");
        }
        assert_eq!(side_by_side(&[] as &[u64], 4, |number| *number), [0; 0]);
    }
}
