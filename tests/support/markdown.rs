//! Checks that names and values are only text in Markdown.

/// Markdown, HTML, a mention, a reference and addresses in one name.
pub(crate) const HARM: &str =
    "x|</code><img src=x onerror=alert(1)>](http://a.b)`@team #1 ![](www.c.d)\n# T\r\n|a|";

/// Asserts that a page contains no HTML except its own elements, and nothing that has a meaning in Markdown, and that
/// it fits in a comment on GitHub.
pub(crate) fn assert_inert(text: &str) {
    let own = [
        "<code>",
        "</code>",
        "<br>",
        "<!-- -->",
        "<details>",
        "</details>",
        "<summary>",
        "</summary>",
        "<sub>",
        "</sub>",
    ];
    let mut rest = text.to_owned();
    for element in own {
        rest = rest.replace(element, "");
    }
    for mark in ["<", ">", "`", "@", "](", "![", "http:", "www.", "_"] {
        assert!(!rest.contains(mark), "{mark}: {rest}");
    }
    // Only entities and the heading contain number signs.
    for (index, _) in rest.match_indices('#').skip(3) {
        assert_eq!(&rest[index - 1..index], "&", "{rest}");
    }
    let markers = text.matches("<code>").count();
    assert_eq!(markers, text.matches("</code>").count());
    assert!(text.chars().count() <= 65_536);
    // Each row of a table has as many cells as there are headings.
    let mut strokes = None;
    for line in text.lines() {
        if !line.starts_with('|') {
            strokes = None;
            continue;
        }
        let count = line.matches('|').count();
        assert_eq!(*strokes.get_or_insert(count), count, "{line}");
    }
}
