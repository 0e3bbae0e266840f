//! A scheduled time after which upstream's search finds no other, but the same one again.

use jiff::Timestamp;

use super::{Endless, Timetable};

const MINUTES_OF_A_YEAR: usize = 366 * 24 * 60;

impl Timetable {
    /// The scheduled time after `since` that the search never gets past, if it meets one up to `until`.
    ///
    /// Where a zone changes its clock by a step that is no whole number of hours, or at a time that
    /// is none, the search can answer a question for the scheduled time after one with that very scheduled time.
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
        // Counting is quick, and stumbles where there is something to find.
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
