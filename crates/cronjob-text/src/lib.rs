//! Text as every layer of `kubectl cronjob-doctor` writes it: numbers and lists in sentences, durations as kubectl
//! shows them, names from a cluster that are safe to print, and the word that was probably meant.
//!
//! Start with [`duration::human`], [`printable::printable`] and [`words::listed`]:
//!
//! ```
//! use cronjob_text::{duration, printable::printable, spelling, words};
//!
//! assert_eq!(duration::human(4 * 60 + 2), "4m2s");
//! assert_eq!(words::counted(2, "run"), "2 runs");
//! assert_eq!(words::listed(&["a".to_owned(), "b".to_owned(), "c".to_owned()]), "a, b and c");
//! // A name can contain what a terminal would execute.
//! assert_eq!(printable("a\u{1b}[31m"), "a\\u{1b}[31m");
//! assert_eq!(spelling::nearest("nightyl", ["hourly", "nightly"]), Some("nightly"));
//! ```
//!
//! In a [`text::Text`], times and Job names stay values until it is written; [`text!`] makes one. [`string_enum!`] defines an enum that documents write as strings.

mod string_enum;

#[cfg(feature = "schema")]
#[doc(hidden)]
pub use schemars;

pub mod duration;
pub mod printable;
pub mod spelling;
pub mod text;
pub mod words;
