//! Scheduled times after which upstream's search returns the same time again.

use jiff::Timestamp;

use super::{Endless, Timetable};

const MINUTES_OF_A_YEAR: usize = 366 * 24 * 60;

impl Timetable {
    /// The first scheduled time after `since`, up to `until`, after which the search gets stuck.
    ///
    /// Where a zone changes its clock by something other than whole hours, or not on the hour, the search
    /// for the time after a scheduled time can return that same time.
    ///
    /// ```
    /// use kube_cron::{BundledZones, Dialect, Schedule, Zones};
    ///
    /// let chatham = BundledZones.load("Pacific/Chatham").unwrap();
    /// let schedule = Schedule::parse("53 3 * * *", Dialect::V3_0, &BundledZones).unwrap();
    /// let (since, until) = ("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
    /// let last = schedule.in_zone(&chatham).stands_still(since.parse().unwrap(), until.parse().unwrap());
    /// assert_eq!(last.unwrap().to_string(), "2026-04-04T14:08:00Z");
    /// ```
    pub fn stands_still(&self, since: Timestamp, until: Timestamp) -> Option<Timestamp> {
        // Counting is fast, and fails if the search gets stuck.
        self.count(since, until).err()?;
        let mut last = None;
        for run in self.after(since).take(MINUTES_OF_A_YEAR) {
            match run {
                Ok(run) => last = Some(run),
                Err(Endless) => return last,
            }
        }
        None
    }
}
