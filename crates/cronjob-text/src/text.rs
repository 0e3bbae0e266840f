//! Sentences whose times and Job names stay values until they are written.

use std::borrow::Cow;
use std::fmt;
use std::ops::{AddAssign, Deref, Range};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// A time as people read it, in the named time zone: `Sat 2026-11-21 02:00 Europe/Berlin`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocalTime {
    pub date: Date,
    /// `02:00`, with seconds only where they are not zero.
    pub clock: String,
    /// `CEST`, only where clocks are set back and the time occurs twice.
    pub abbreviation: Option<String>,
    /// The name of the time zone; empty where it is shown elsewhere, such as in a table of one CronJob.
    pub zone: String,
}

impl LocalTime {
    pub fn new(at: Timestamp, zone: &TimeZone, name: &str) -> Self {
        let local = at.to_zoned(zone.clone());
        let seconds = if at.as_second() % 60 == 0 { "" } else { ":%S" };
        let twice = zone.to_ambiguous_timestamp(local.datetime()).is_ambiguous();
        LocalTime {
            date: local.date(),
            clock: local.strftime(&format!("%H:%M{seconds}")).to_string(),
            abbreviation: twice.then(|| local.strftime("%Z").to_string()),
            zone: name.to_owned(),
        }
    }

    fn in_usual_zone(&self) -> Self {
        LocalTime {
            zone: usual_zone_name(&self.zone).to_owned(),
            ..self.clone()
        }
    }

    /// The time without the day: `02:00`, or `02:00 CEST`.
    pub fn of_day(&self) -> String {
        match &self.abbreviation {
            Some(abbreviation) => format!("{} {abbreviation}", self.clock),
            None => self.clock.clone(),
        }
    }

    /// The time without the name of its zone, for a sentence that has already named it.
    #[must_use]
    pub fn without_zone(mut self) -> Self {
        self.zone.clear();
        self
    }
}

impl fmt::Display for LocalTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.date.strftime("%a %Y-%m-%d");
        write!(f, "{date} {}", self.of_day())?;
        if !self.zone.is_empty() {
            write!(f, " {}", self.zone)?;
        }
        Ok(())
    }
}

/// The usual name of a time zone: UTC has two.
pub fn usual_zone_name(zone: &str) -> &str {
    match zone {
        "Etc/UTC" => "UTC",
        other => other,
    }
}

/// What a part of a text is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Time(LocalTime),
    /// `for the run scheduled at Sat 2026-11-21 02:00 Europe/Berlin`
    ForRun(LocalTime),
    /// The name of a Job of the CronJob, and what to call it in a sentence about several CronJobs.
    Job {
        in_general: &'static str,
    },
    /// What the first lines of a page about the CronJob say as well. Other values may be in it.
    Aside,
}

/// A text that knows which of its parts are values, so that they can be written in another way.
///
/// It is used like a string, which has every value in full.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Text {
    whole: String,
    values: Vec<(Range<usize>, Value)>,
}

impl Text {
    /// The template with each `{}` replaced. [`text!`](crate::text!) checks the number of arguments.
    #[doc(hidden)]
    pub fn filled(template: &str, arguments: &[&dyn AddToText]) -> Self {
        let mut text = Text::default();
        let mut arguments = arguments.iter();
        let mut parts = template.split("{}");
        text.whole.push_str(parts.next().unwrap_or_default());
        for part in parts {
            if let Some(argument) = arguments.next() {
                argument.add_to(&mut text);
            }
            text.whole.push_str(part);
        }
        text
    }

    /// `for the run scheduled at TIME`
    pub fn for_run(scheduled: LocalTime) -> Self {
        let mut text = Text::default();
        text.push_value(
            &format!("for the run scheduled at {scheduled}"),
            Value::ForRun(scheduled),
        );
        text
    }

    /// The name of a Job of the CronJob. A sentence about several CronJobs has `in_general` instead.
    pub fn job(name: &str, in_general: &'static str) -> Self {
        let mut text = Text::default();
        text.push_value(name, Value::Job { in_general });
        text
    }

    /// What the first lines of a page about the CronJob say as well: such a page leaves it out.
    pub fn aside(said: impl Into<Text>) -> Self {
        let mut text = said.into();
        text.values.retain(|(_, value)| *value != Value::Aside);
        text.values.push((0..text.whole.len(), Value::Aside));
        text
    }

    fn push_value(&mut self, written: &str, value: Value) {
        let start = self.whole.len();
        self.whole.push_str(written);
        // A text has a few values, and there are many texts.
        self.values.reserve_exact(1);
        self.values.push((start..self.whole.len(), value));
    }

    /// Gives back the memory that was reserved while it was put together: there are many texts, and they are kept.
    pub fn shrink_to_fit(&mut self) {
        self.whole.shrink_to_fit();
        self.values.shrink_to_fit();
    }

    /// All of them, with the separator between them.
    pub fn join<T: AddToText>(texts: impl IntoIterator<Item = T>, separator: &str) -> Self {
        let mut joined = Text::default();
        for (number, text) in texts.into_iter().enumerate() {
            if number > 0 {
                joined.whole.push_str(separator);
            }
            text.add_to(&mut joined);
        }
        joined
    }

    /// The text as a sentence: with a capital, and a full stop.
    #[must_use]
    pub fn sentence(mut self) -> Self {
        if let Some(first) = self.whole.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        if !self.whole.ends_with(['.', '?']) {
            self.whole.push('.');
        }
        self
    }

    /// The sentence without its full stop.
    #[must_use]
    pub fn as_title(mut self) -> Self {
        if self.whole.ends_with('.') {
            self.whole.pop();
        }
        self
    }

    /// The text without what the first lines of a page say as well.
    #[must_use]
    pub fn without_asides(&self) -> Self {
        let mut text = self.clone();
        let is_aside = |(_, value): &&(Range<usize>, Value)| *value == Value::Aside;
        for (aside, _) in self.values.iter().filter(is_aside).rev() {
            let is_in = |range: &Range<usize>| aside.start <= range.start && range.end <= aside.end;
            text.whole.replace_range(aside.clone(), "");
            text.values.retain(|(range, _)| !is_in(range));
            let later = |(range, _): &&mut (Range<usize>, Value)| range.start >= aside.end;
            for (range, _) in text.values.iter_mut().filter(later) {
                *range = range.start - aside.len()..range.end - aside.len();
            }
        }
        text
    }

    /// The values that are not parts of others.
    fn written_values(&self) -> impl Iterator<Item = &(Range<usize>, Value)> {
        let values = self.values.iter();
        values.filter(|(_, value)| *value != Value::Aside)
    }

    /// The text with its values written differently, where `write` returns something.
    pub fn rewritten<'a>(
        &'a self,
        mut write: impl FnMut(&'a Value) -> Option<String>,
    ) -> Cow<'a, str> {
        if self.values.is_empty() {
            return Cow::Borrowed(&self.whole);
        }
        let mut rewritten = String::with_capacity(self.whole.len());
        let mut rest = 0;
        for (range, value) in self.written_values() {
            let before = self.whole.get(rest..range.start);
            rewritten.push_str(before.unwrap_or_default());
            match write(value) {
                Some(other) => rewritten.push_str(&other),
                None => rewritten.push_str(self.whole.get(range.clone()).unwrap_or_default()),
            }
            rest = range.end;
        }
        rewritten.push_str(self.whole.get(rest..).unwrap_or_default());
        Cow::Owned(rewritten)
    }

    /// The text for several CronJobs: without the names of Jobs, and with one name for each time zone.
    #[must_use]
    pub fn in_general(&self) -> Self {
        let mut text = Text::default();
        let mut rest = 0;
        for (range, value) in self.written_values() {
            text += self.whole.get(rest..range.start).unwrap_or_default();
            match value {
                Value::Job { in_general } => text += *in_general,
                Value::Time(time) => text += time.in_usual_zone(),
                Value::ForRun(time) => text += Text::for_run(time.in_usual_zone()),
                Value::Aside => {}
            }
            rest = range.end;
        }
        text += self.whole.get(rest..).unwrap_or_default();
        text
    }
}

impl<T: AddToText> AddAssign<T> for Text {
    fn add_assign(&mut self, more: T) {
        more.add_to(self);
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.whole
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.whole
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.whole.fmt(f)
    }
}

impl From<String> for Text {
    fn from(whole: String) -> Self {
        Text {
            whole,
            values: Vec::new(),
        }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<&String> for Text {
    fn from(text: &String) -> Self {
        text.clone().into()
    }
}

impl From<Cow<'_, str>> for Text {
    fn from(text: Cow<'_, str>) -> Self {
        text.into_owned().into()
    }
}

impl From<&Text> for Text {
    fn from(text: &Text) -> Self {
        text.clone()
    }
}

impl From<LocalTime> for Text {
    fn from(time: LocalTime) -> Self {
        let mut text = Text::default();
        time.add_to(&mut text);
        text
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.whole
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.whole == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.whole == *other
    }
}

impl serde::Serialize for Text {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.whole)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Text {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

/// What can be an argument of [`text!`](crate::text!).
pub trait AddToText {
    fn add_to(&self, text: &mut Text);
}

impl AddToText for Text {
    fn add_to(&self, text: &mut Text) {
        let start = text.whole.len();
        text.whole.push_str(&self.whole);
        let values = self.values.iter().map(|(range, value)| {
            let range = start + range.start..start + range.end;
            (range, value.clone())
        });
        text.values.extend(values);
    }
}

impl AddToText for LocalTime {
    fn add_to(&self, text: &mut Text) {
        text.push_value(&self.to_string(), Value::Time(self.clone()));
    }
}

impl AddToText for str {
    fn add_to(&self, text: &mut Text) {
        text.whole.push_str(self);
    }
}

impl<T: AddToText + ?Sized> AddToText for &T {
    fn add_to(&self, text: &mut Text) {
        (**self).add_to(text);
    }
}

/// Nothing is added for `None`.
impl<T: AddToText> AddToText for Option<T> {
    fn add_to(&self, text: &mut Text) {
        if let Some(some) = self {
            some.add_to(text);
        }
    }
}

/// Makes types arguments of [`text!`](crate::text!) that are written as they display themselves.
#[macro_export]
macro_rules! plain_in_text {
    ($($plain:ty),+ $(,)?) => {
        $(impl $crate::text::AddToText for $plain {
            fn add_to(&self, text: &mut $crate::text::Text) {
                self.to_string().as_str().add_to(text);
            }
        })+
    };
}

plain_in_text!(String, Cow<'_, str>, Timestamp, i32, i64, u32, u64, usize);

/// A [`Text`] like `format!` makes a `String`, with `{}` only. Arguments that are texts or times
/// stay values.
#[macro_export]
macro_rules! text {
    ($template:literal $(, $argument:expr)* $(,)?) => {
        $crate::text::Text::filled(
            {
                // As many arguments as the template has places.
                const _: fn() = || {
                    let _ = format_args!(concat!($template) $(, $crate::no_argument!($argument))*);
                };
                $template
            },
            &[$(&$argument as &dyn $crate::text::AddToText),*],
        )
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! no_argument {
    ($argument:expr) => {
        ""
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(at: &str) -> LocalTime {
        LocalTime::new(at.parse().unwrap(), &TimeZone::UTC, "UTC")
    }

    #[test]
    fn values_are_rewritten_where_they_are() {
        let inner = text!("{} (in {})", time("2026-11-21T02:00:00Z"), "3h");
        let text = text!(
            "Next run: {}, if {} ends",
            inner,
            Text::job("a-1", "its Job")
        );
        assert_eq!(
            &*text,
            "Next run: Sat 2026-11-21 02:00 UTC (in 3h), if a-1 ends"
        );
        let clocks = text.rewritten(|value| match value {
            Value::Time(time) => Some(time.clock.clone()),
            _ => None,
        });
        assert_eq!(clocks, "Next run: 02:00 (in 3h), if a-1 ends");
        let general = text.in_general();
        assert_eq!(
            &*general,
            "Next run: Sat 2026-11-21 02:00 UTC (in 3h), if its Job ends"
        );
        assert_eq!(general.values.len(), 1);
    }

    #[test]
    fn sentence_keeps_its_values() {
        let text = text!("it ended at {}", time("2026-11-21T02:00:00Z")).sentence();
        assert_eq!(&*text, "It ended at Sat 2026-11-21 02:00 UTC.");
        let clocks = text.rewritten(|value| match value {
            Value::Time(time) => Some(time.clock.clone()),
            _ => None,
        });
        assert_eq!(clocks, "It ended at 02:00.");
        assert_eq!(&*text.clone().sentence(), &*text);
    }

    #[test]
    fn texts_about_several_cron_jobs_name_utc_alike() {
        let at = "2026-11-21T02:00:00Z".parse().unwrap();
        let [one, other] = ["UTC", "Etc/UTC"].map(|name| {
            let time = LocalTime::new(at, &TimeZone::UTC, name);
            text!(
                "{} starts {}",
                Text::job(name, "its Job"),
                Text::for_run(time)
            )
            .in_general()
        });
        assert_eq!(one, other);
    }

    #[test]
    fn what_a_page_has_said_is_left_out_with_its_values() {
        let at = || time("2026-11-21T02:00:00Z");
        let aside = Text::aside(text!(" (since {})", at()));
        let text = text!("At {}{}: {}{}.", at(), aside, at(), Text::aside(" again"));
        let whole = "At Sat 2026-11-21 02:00 UTC (since Sat 2026-11-21 02:00 UTC): Sat 2026-11-21 02:00 UTC again.";
        assert_eq!(&*text, whole);
        assert_eq!(text.in_general(), *whole);
        let clocks = |text: &Text| {
            let clock = |value: &Value| match value {
                Value::Time(time) => Some(time.clock.clone()),
                _ => None,
            };
            text.rewritten(clock).into_owned()
        };
        assert_eq!(clocks(&text), "At 02:00 (since 02:00): 02:00 again.");
        assert_eq!(clocks(&text.without_asides()), "At 02:00: 02:00.");
    }

    #[test]
    fn what_looks_like_a_place_in_an_argument_stays() {
        assert_eq!(&*text!("{} and {}", "{}", 1_u64), "{} and 1");
        assert_eq!(&*Text::join(["a", "b"], ", "), "a, b");
    }
}
