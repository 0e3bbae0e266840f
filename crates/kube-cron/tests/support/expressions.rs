//! Random expressions: mostly ones that Kubernetes accepts, with everything its parser knows.

use super::random::Random;

const FIELDS: [(i64, i64, &[&str]); 5] = [
    (0, 59, &[]),
    (0, 23, &[]),
    (1, 31, &[]),
    (
        1,
        12,
        &[
            "jan", "FEB", "Mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ],
    ),
    (0, 6, &["sun", "MON", "Tue", "wed", "thu", "fri", "sat"]),
];

const WORDS: [&str; 14] = [
    "@yearly",
    "@annually",
    "@monthly",
    "@weekly",
    "@daily",
    "@midnight",
    "@hourly",
    "@every 90s",
    "@every 1h30m",
    "@every 1.5h",
    "@every 500ms",
    "@every 36h",
    "@every 2m3.7s",
    "@every -5m",
];

const BROKEN: [&str; 40] = [
    "",
    " ",
    "@reboot",
    "@Daily",
    "@every",
    "@every 5",
    "@every 1d",
    "@every 1h 2m",
    " @daily",
    "@daily ",
    "0 0 0 * * *",
    "* * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * 32 * *",
    "* * * 13 *",
    "* * * 0 *",
    "* * * * 7",
    "0-60 * * * *",
    "5-1 * * * *",
    "1-2-3 * * * *",
    "1/2/3 * * * *",
    "*/0 * * * *",
    "*/-1 * * * *",
    "-5 * * * *",
    "5- * * * *",
    "5-* * * * *",
    "/5 * * * *",
    "*/ * * * *",
    "a * * * *",
    "* * * * sunday",
    "0x5 * * * *",
    "1_0 * * * *",
    "99999999999999999999 * * * *",
    "*/99999999999999999999 * * * *",
    "\u{661} * * * *",
    "0 0 L * *",
    "0 0 * * 1#2",
    "0 0 * * fri\u{200b}",
];

const STRANGE: [&str; 18] = [
    "*/70 * * * *",
    "*-7 * * * *",
    "*-x-y/3 * * * *",
    "? ? ? ? ?",
    "?/5 * * * *",
    "+5 * * * *",
    "05 007 * * *",
    "5,,10, * * * *",
    "\u{a0}0\u{2003}2 * * *\u{3000}",
    "0 0 1-31 * 1",
    "0 0 */1 * 1",
    "0 0 */2 * 1",
    "0 0 31 2 *",
    "0 0 29 2 *",
    "0 0 30,31 4,2 *",
    "*/9223372036854775807 * * * *",
    "0 0 * * fr\u{130}",
    "0 0 , * 1",
];

pub(crate) fn expression(random: &mut Random) -> String {
    match random.below(100) {
        0..4 => (*random.pick(&WORDS)).to_owned(),
        4..7 => (*random.pick(&BROKEN)).to_owned(),
        7..10 => (*random.pick(&STRANGE)).to_owned(),
        10..13 => mutated(random),
        _ => fields(random),
    }
}

/// Five fields; stars are likely, so that most runs are not years apart.
pub(crate) fn fields(random: &mut Random) -> String {
    let blank = |random: &mut Random| if random.one_in(40) { "\t" } else { " " };
    let mut text = String::new();
    for (index, field) in FIELDS.iter().enumerate() {
        let star = if index < 2 { 3 } else { 2 };
        if random.one_in(star) {
            text.push('*');
        } else {
            let parts = 1 + random.below(3);
            let list: Vec<String> = (0..parts).map(|_| range(random, field)).collect();
            text.push_str(&list.join(","));
        }
        if index < 4 {
            text.push_str(blank(random));
        }
    }
    text
}

fn range(random: &mut Random, field: &(i64, i64, &[&str])) -> String {
    let (low, high, names) = *field;
    let value = |random: &mut Random, low: i64, high: i64| {
        let value = random.between(low, high);
        if !names.is_empty() && random.one_in(3) {
            names[usize::try_from(value - field.0).unwrap_or_default()].to_owned()
        } else {
            value.to_string()
        }
    };
    let step = |random: &mut Random| random.between(1, (high - low).min(24) + 2);
    match random.below(10) {
        0..5 => value(random, low, high),
        5 => format!("*/{}", step(random)),
        6 => format!("{}/{}", value(random, low, high), step(random)),
        7 => "?".to_owned(),
        _ => {
            let first = random.between(low, high);
            let last = random.between(first, high);
            let stepped = random.one_in(3);
            let mut text = format!(
                "{}-{}",
                value(random, first, first),
                value(random, last, last)
            );
            if stepped {
                text.push('/');
                text.push_str(&step(random).to_string());
            }
            text
        }
    }
}

/// A good expression with a character changed, dropped or added.
fn mutated(random: &mut Random) -> String {
    const CHARACTERS: &str = "*/-,? \t079@LW#TZ=\"\\\u{7f}\u{e9}\u{300}\u{2028}\u{1f600}";
    let characters: Vec<char> = CHARACTERS.chars().collect();
    let mut letters: Vec<char> = fields(random).chars().collect();
    for _ in 0..=random.below(2) {
        let at = random.below(letters.len().max(1));
        match random.below(3) {
            0 if !letters.is_empty() => drop(letters.remove(at)),
            1 if !letters.is_empty() => letters[at] = *random.pick(&characters),
            _ => letters.insert(at, *random.pick(&characters)),
        }
    }
    letters.into_iter().collect()
}
