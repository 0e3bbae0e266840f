//! Markdown in which names and values are only text.

/// Markdown, HTML, a mention, a reference and addresses in one name.
pub(crate) const HARM: &str =
    "x|</code><img src=x onerror=alert(1)>](http://a.b)`@team #1 ![](www.c.d)\n# T\r\n|a|";

/// Asserts that without the page's own elements nothing is left of HTML, and none of what Markdown gives a
/// meaning, and that it fits in a comment on GitHub.
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
    // Entities and the heading have the only number signs.
    for (index, _) in rest.match_indices('#').skip(3) {
        assert_eq!(&rest[index - 1..index], "&", "{rest}");
    }
    let markers = text.matches("<code>").count();
    assert_eq!(markers, text.matches("</code>").count());
    assert!(text.chars().count() <= 65_536);
    // Each row of a table has the cells of its headings.
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
