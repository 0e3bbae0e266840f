//! A trial of the forecast in real time: CronJobs with random specs on a real control plane, random
//! acts at random moments, and forecasts that are compared with what the controller then does.
//!
//! `FORECAST_TRIAL_MINUTES` sets its duration, and `FORECAST_TRIAL_SEED` repeats its choices. What is needed to repeat
//! a mismatch is written to `target/tmp/forecast-trial`.
//!
//! `specs` makes the CronJobs, `driver` acts on them, `forecasts` calls `explain`, `record` watches the cluster and
//! reads the controller's log, `history` keeps what happened, and `compare` checks the forecasts against it.

use std::sync::Arc;
use std::time::Duration;

use self::driver::Driver;
use self::forecasts::Forecasts;
use self::record::{Log, Record, now, see_cron_job, see_event, see_job};
use self::tally::Tally;

use crate::control_plane::prelude::*;
mod compare;
mod driver;
mod forecasts;
mod history;
mod record;
mod specs;
mod tally;
use crate::control_plane::assets;
use crate::support::random::Random;

/// The number of namespaces, and of CronJobs in each.
const NAMESPACES: usize = 8;
const CRON_JOBS: usize = 8;
/// The default duration of the trial.
const MINUTES: f64 = 2.5;
/// How often forecasts are compared.
const COMPARE: SignedDuration = SignedDuration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(50);

fn setting<T: std::str::FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

#[test]
fn forecasts_come_true() {
    let Some(assets) = assets() else { return };
    let minutes = setting("FORECAST_TRIAL_MINUTES").unwrap_or(MINUTES);
    let seed =
        setting("FORECAST_TRIAL_SEED").unwrap_or_else(|| now().as_millisecond().cast_unsigned());
    eprintln!("forecast trial: FORECAST_TRIAL_MINUTES={minutes} FORECAST_TRIAL_SEED={seed}");
    let plane = ControlPlane::start(&assets);
    plane.start_controllers("UTC");
    let record = Arc::new(Record::default());
    let mut random = Random::new(seed);
    let mut driver = Driver::new(&plane, Arc::clone(&record), Random::new(random.next()));
    for (path, see) in [
        ("/apis/batch/v1/jobs", see_job as fn(&Record, Timestamp, &_)),
        ("/apis/batch/v1/cronjobs", see_cron_job),
        ("/api/v1/events", see_event),
    ] {
        record.follow(plane.api("admin"), path, see);
    }
    driver.set_up(NAMESPACES, CRON_JOBS);
    let end = now() + SignedDuration::from_secs_f64(minutes * 60.0);
    let forecasts = Forecasts::new(&plane, driver.namespaces(), Random::new(random.next()));
    let mut tally = Tally::new(seed);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| forecasts.make_until(end));
        }
        let mut log = Log::new(plane.controllers_log());
        let mut compared = now();
        while now() < end {
            driver.work(&mut log, &forecasts);
            log.read_on(&record);
            if now() > compared + COMPARE {
                compared = now();
                tally.compare(&forecasts, &record, &driver.acts, None);
            }
            thread::sleep(PAUSE);
        }
        thread::sleep(Duration::from_secs(2));
        log.read_on(&record);
    });
    tally.compare(&forecasts, &record, &driver.acts, Some(end));
    record.stop();
    eprintln!("{}", tally.summary(&driver.acts, &record.events()));
    assert!(
        tally.mismatches.is_empty(),
        "{}",
        tally.mismatches.join("\n")
    );
}
