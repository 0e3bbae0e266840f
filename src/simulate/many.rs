//! Many simulations side by side.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The results for all tasks, in their order, computed by so many threads.
pub fn side_by_side<T: Sync, R: Send>(
    tasks: &[T],
    threads: usize,
    compute: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    if threads < 2 || tasks.len() < 2 {
        return tasks.iter().map(compute).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(tasks.len()));
    thread::scope(|scope| {
        for _ in 0..threads.min(tasks.len()) {
            scope.spawn(|| {
                let mut own = Vec::new();
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(index) else { break };
                    own.push((index, compute(task)));
                }
                done.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .append(&mut own);
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::side_by_side;

    #[test]
    fn results_keep_the_order_of_the_tasks() {
        let tasks: Vec<u64> = (0..1000).collect();
        let expected: Vec<u64> = tasks.iter().map(|task| task * task).collect();
        for threads in [0, 1, 2, 7] {
            assert_eq!(side_by_side(&tasks, threads, |task| task * task), expected);
        }
    }
}
