//! A few places for large responses: a client that receives one slowly loses its place when others wait for it.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// The places, and the responses that are being sent.
#[derive(Clone)]
pub(super) struct ResponsePlaces {
    free: Arc<Semaphore>,
    sent: Arc<Sent>,
    /// How long a client may keep its place while others wait.
    patience: Duration,
}

/// Since when each response has been sent, and how to end its connection. Later ones have higher numbers.
#[derive(Default)]
struct Sent(Mutex<BTreeMap<u64, (Instant, Arc<Notify>)>>);

/// A place, until it is dropped.
pub(super) struct ResponsePlace {
    sent: Arc<Sent>,
    /// If a response is being sent.
    number: Option<u64>,
    _permit: OwnedSemaphorePermit,
}

impl ResponsePlaces {
    pub(super) fn new(count: usize, patience: Duration) -> Self {
        ResponsePlaces {
            free: Arc::new(Semaphore::new(count)),
            sent: Arc::default(),
            patience,
        }
    }

    /// Waits for a place. The response that has been sent longest is cut off after a while.
    pub(super) async fn take(&self) -> Option<ResponsePlace> {
        let mut permit = pin!(Arc::clone(&self.free).acquire_owned());
        loop {
            let left = self.sent.left(self.patience);
            if let Ok(permit) = timeout(left, permit.as_mut()).await {
                return Some(ResponsePlace {
                    sent: Arc::clone(&self.sent),
                    number: None,
                    _permit: permit.ok()?,
                });
            }
            self.sent.cut_off_first(self.patience);
        }
    }
}

impl ResponsePlace {
    /// The response is sent from now on. `cut_off` is notified if its connection must end.
    pub(super) fn begin_sending(&mut self, cut_off: &Arc<Notify>) {
        let mut sent = self.sent.lock();
        let last = sent.last_key_value();
        let number = last.map_or(0, |(number, _)| number.saturating_add(1));
        sent.insert(number, (Instant::now(), Arc::clone(cut_off)));
        drop(sent);
        self.number = Some(number);
    }
}

impl Drop for ResponsePlace {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.sent.lock().remove(&number);
        }
    }
}

impl Sent {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, (Instant, Arc<Notify>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time until the first one has been sent for so long.
    fn left(&self, patience: Duration) -> Duration {
        let first = self.lock().first_key_value().map(|(_, (since, _))| *since);
        first.map_or(patience, |since| patience.saturating_sub(since.elapsed()))
    }

    fn cut_off_first(&self, patience: Duration) {
        let mut sent = self.lock();
        if let Some(first) = sent.first_entry()
            && first.get().0.elapsed() >= patience
        {
            first.remove().1.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime::Builder;
    use tokio::time::sleep;

    use super::*;

    const PATIENCE: Duration = Duration::from_millis(100);

    #[test]
    fn slow_client_loses_its_place_only_when_others_wait() {
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let places = ResponsePlaces::new(2, PATIENCE);
            let clients = [Arc::new(Notify::new()), Arc::new(Notify::new())];
            let mut slow = Vec::new();
            for client in &clients {
                let mut place = places.take().await.unwrap();
                place.begin_sending(client);
                slow.push(place);
            }
            let is_cut_off =
                async |client: &Notify| timeout(PATIENCE, client.notified()).await.is_ok();
            sleep(PATIENCE * 2).await;
            assert!(!is_cut_off(&clients[0]).await);
            let first = Arc::clone(&clients[0]);
            let place = slow.remove(0);
            tokio::spawn(async move {
                first.notified().await;
                drop(place);
            });
            let third = timeout(PATIENCE * 20, places.take()).await;
            assert!(third.is_ok());
            assert!(!is_cut_off(&clients[1]).await);
        });
    }
}
