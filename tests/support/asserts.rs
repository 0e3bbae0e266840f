//! Assertions about texts, which show the text.

/// Asserts that a text contains a part, and shows the text where it does not.
macro_rules! assert_contains {
    ($text:expr, $part:expr $(,)?) => {{
        let text = &$text;
        assert!(text.contains($part), "{text}");
    }};
}

/// Asserts that a text does not contain a part.
macro_rules! assert_lacks {
    ($text:expr, $part:expr $(,)?) => {{
        let text = &$text;
        assert!(!text.contains($part), "{text}");
    }};
}

/// Asserts that a text starts with a part.
macro_rules! assert_starts {
    ($text:expr, $part:expr $(,)?) => {{
        let text = &$text;
        assert!(text.starts_with($part), "{text}");
    }};
}

/// Asserts that a text ends with a part.
macro_rules! assert_ends {
    ($text:expr, $part:expr $(,)?) => {{
        let text = &$text;
        assert!(text.ends_with($part), "{text}");
    }};
}

/// Compares texts with one snapshot, each starting on its own line.
macro_rules! assert_texts {
    ($($text:expr),+ $(,)?) => {
        insta::assert_snapshot!([$($text.to_string()),+].join("\n"))
    };
}
