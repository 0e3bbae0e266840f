//! Upstream's own search, step by step.
//!
//! robfig/cron walks from the moment asked: months, days, hours, minutes, seconds, setting the
//! smaller parts to zero once it has moved. Near some changes of a zone's offset the result depends
//! on each of these steps, so that nothing but taking them gives the same answer. Everything here
//! follows `spec.go` of robfig/cron and the zone arithmetic of Go's package `time`.

use super::civil::{DAY, Date, HOUR, narrow};
use super::dialect::Traits;
use super::fields::Fields;
use super::window::OffsetTable;

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchResult {
    /// The second of the next run.
    At(i64),
    /// Nothing within five years: upstream answers with the zero time.
    Never,
    /// The search goes round in circles and would never end upstream.
    Endless,
}

/// More steps than any search takes that ends: five years of hours, minute by minute.
const STEP_LIMIT: u32 = 3_500_000;

/// Searches from a second on (that second included), as upstream does.
pub(crate) fn search(
    fields: &Fields,
    traits: &Traits,
    table: &OffsetTable,
    start: i64,
) -> SearchResult {
    let mut walk = Walk {
        table,
        at: start,
        moved: false,
        steps: 0,
    };
    walk.search(fields, traits)
}

struct Walk<'a> {
    table: &'a OffsetTable,
    at: i64,
    /// Whether a step was taken, after which the smaller parts are zero already.
    moved: bool,
    steps: u32,
}

/// A moment as the clock of the zone shows it.
struct Clock {
    date: Date,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
}

impl Walk<'_> {
    fn search(&mut self, fields: &Fields, traits: &Traits) -> SearchResult {
        let last_year = self.clock().date.year + 5;
        'wrap: loop {
            if self.clock().date.year > last_year {
                return SearchResult::Never;
            }
            loop {
                let clock = self.clock();
                if fields.months & (1 << clock.date.month) != 0 {
                    break;
                }
                if self.exhausted() {
                    return SearchResult::Endless;
                }
                self.reset_to(clock.date.first_of_month(), 0);
                let clock = self.clock();
                self.at = self.add_months(&clock, 1);
                if self.clock().date.month == 1 {
                    continue 'wrap;
                }
            }
            loop {
                let clock = self.clock();
                if fields.allows_day_of_month(clock.date, clock.day) {
                    break;
                }
                if self.exhausted() {
                    return SearchResult::Endless;
                }
                self.reset_to(clock.date, 0);
                let before = self.at;
                self.next_day(traits.repairs_midnight);
                if self.at == before {
                    return SearchResult::Endless;
                }
                if self.clock().date.day == 1 {
                    continue 'wrap;
                }
            }
            loop {
                let clock = self.clock();
                if fields.hours & (1 << clock.hour) != 0 {
                    break;
                }
                if self.exhausted() {
                    return SearchResult::Endless;
                }
                self.reset_to(clock.date, clock.hour);
                let before = self.clock().hour;
                self.at += HOUR;
                let hour = self.clock().hour;
                if traits.runs_after_gap
                    && hour - before == 2
                    && fields.hours & (1 << (hour - 1)) != 0
                {
                    break;
                }
                if hour == 0 {
                    continue 'wrap;
                }
            }
            loop {
                if fields.minutes & (1 << self.clock().minute) != 0 {
                    break;
                }
                if self.exhausted() {
                    return SearchResult::Endless;
                }
                if !self.moved {
                    self.moved = true;
                    self.at = self.at.div_euclid(60) * 60;
                }
                self.at += 60;
                if self.clock().minute == 0 {
                    continue 'wrap;
                }
            }
            if fields.seconds & (1 << self.clock().second) != 0 {
                return SearchResult::At(self.at);
            }
            if self.exhausted() {
                return SearchResult::Endless;
            }
            self.moved = true;
            self.next_second(fields.seconds);
            if self.clock().second != 0 {
                return SearchResult::At(self.at);
            }
        }
    }

    fn exhausted(&mut self) -> bool {
        self.steps += 1;
        self.steps > STEP_LIMIT
    }

    fn clock(&self) -> Clock {
        let wall = self.at + self.table.window_at(self.at).offset;
        let day = wall.div_euclid(DAY);
        let time = wall.rem_euclid(DAY);
        Clock {
            date: Date::of_day(day),
            day,
            hour: time / HOUR,
            minute: time / 60 % 60,
            second: time % 60,
        }
    }

    /// Before the first step, the parts below the one that is stepped begin at zero.
    fn reset_to(&mut self, date: Date, hour: i64) {
        if !self.moved {
            self.moved = true;
            self.at = self.moment(date.to_day() * DAY + hour * HOUR);
        }
    }

    /// The moment at which the clock shows a wall time, as Go's `time.Date` guesses it: the offset
    /// at the wall time read as UTC, or, where that does not hold, the offset at the first guess.
    fn moment(&self, wall: i64) -> i64 {
        let window = self.table.window_at(wall);
        if window.offset == 0 {
            return wall;
        }
        let guess = wall - window.offset;
        if window.contains(guess) {
            guess
        } else {
            wall - self.table.window_at(guess).offset
        }
    }

    fn add_months(&self, clock: &Clock, months: u32) -> i64 {
        let month = clock.date.month - 1 + months;
        let year = clock.date.year + i64::from(month / 12);
        let date = Date {
            year,
            month: month % 12 + 1,
            day: clock.date.day,
        };
        self.moment(date.to_day() * DAY + time_of(clock))
    }

    fn next_day(&mut self, repair: bool) {
        let clock = self.clock();
        self.at = self.moment((clock.day + 1) * DAY + time_of(&clock));
        let hour = self.clock().hour;
        if repair && hour > 12 {
            self.at += (24 - hour) * HOUR;
        } else if repair {
            self.at -= hour * HOUR;
        }
    }

    /// Upstream goes second by second; between changes of the offset the end is known.
    fn next_second(&mut self, seconds: u64) {
        let second = self.clock().second;
        let later = seconds & (u64::MAX << second);
        let rest = i64::from(later.trailing_zeros().min(60)) - second;
        if self.table.window_at(self.at).contains(self.at + rest) {
            self.at += rest;
            return;
        }
        for _ in 0..120 {
            self.at += 1;
            let second = self.clock().second;
            if second == 0 || seconds & (1 << second) != 0 {
                return;
            }
        }
    }
}

fn time_of(clock: &Clock) -> i64 {
    clock.hour * HOUR + clock.minute * 60 + clock.second
}

/// Whether the clock of a window shows a matching time at a moment.
pub(crate) fn matches(fields: &Fields, offset: i64, second: i64) -> bool {
    let wall = second + offset;
    let time = wall.rem_euclid(DAY);
    let (hour, minute) = (narrow(time / HOUR), narrow(time / 60 % 60));
    fields.seconds & (1 << (time % 60)) != 0
        && fields.hours & (1 << hour) != 0
        && fields.minutes & (1 << minute) != 0
        && fields.allows_day(wall.div_euclid(DAY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clockwork::testing::{clockwork, second};

    /// Mondays at 09:30:15 on a clock that is an hour ahead.
    #[test]
    fn time_matches_if_each_of_its_parts_does() {
        let fields = clockwork("15 30 9 * * 1", "UTC").fields;
        let is_match = |text| matches(&fields, HOUR, second(text));
        assert!(is_match("2026-03-09T08:30:15Z"));
        for other in [
            "2026-03-09T08:30:14Z",
            "2026-03-09T08:31:15Z",
            "2026-03-09T09:30:15Z",
            "2026-03-09T10:30:15Z",
            "2026-03-10T08:30:15Z",
        ] {
            assert!(!is_match(other), "{other}");
        }
    }

    /// A search with more steps than those that end have.
    #[test]
    fn walk_is_exhausted_after_as_many_steps_as_it_may_take() {
        let zone = clockwork("0 0 0 * * *", "UTC").zone;
        let mut walk = Walk {
            table: zone.table_at(0),
            at: 0,
            moved: false,
            steps: STEP_LIMIT - 1,
        };
        assert!(!walk.exhausted());
        assert!(walk.exhausted() && walk.exhausted());
    }
}
