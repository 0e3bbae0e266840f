//! Labels and annotations.

/// A few texts with names, in the order of the names: labels or annotations. Most objects have
/// none or one, and there are tens of thousands of objects: a tree would take a node of half a
/// kilobyte for each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts(Vec<(Box<str>, Box<str>)>);

impl Texts {
    /// The text of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        let index = self.find(name).ok()?;
        self.0.get(index).map(|(_, text)| text.as_ref())
    }

    /// Whether there is a text of a name.
    pub fn contains(&self, name: &str) -> bool {
        self.find(name).is_ok()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names and texts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.0.iter();
        pairs.map(|(name, text)| (name.as_ref(), text.as_ref()))
    }

    fn find(&self, wanted: &str) -> Result<usize, usize> {
        self.0
            .binary_search_by(|(name, _)| name.as_ref().cmp(wanted))
    }
}

impl<N: Into<Box<str>>, T: Into<Box<str>>> FromIterator<(N, T)> for Texts {
    /// Of one name the last text counts.
    fn from_iter<I: IntoIterator<Item = (N, T)>>(pairs: I) -> Self {
        let mut texts = Texts::default();
        for (name, text) in pairs {
            let (name, text) = (name.into(), text.into());
            match texts.find(&name) {
                Ok(index) => {
                    if let Some(pair) = texts.0.get_mut(index) {
                        pair.1 = text;
                    }
                }
                Err(index) => texts.0.insert(index, (name, text)),
            }
        }
        texts.0.shrink_to_fit();
        texts
    }
}

#[cfg(test)]
mod tests {
    use super::Texts;

    #[test]
    fn texts_are_found_by_their_names() {
        let texts: Texts = [("b", "2"), ("a", "1"), ("c", "3"), ("a", "4")]
            .into_iter()
            .collect();
        assert_eq!(texts.get("a"), Some("4"));
        assert_eq!(texts.get("c"), Some("3"));
        assert_eq!(texts.get("d"), None);
        assert!(texts.contains("b") && !texts.is_empty());
        let pairs: Vec<_> = texts.iter().collect();
        assert_eq!(pairs, [("a", "4"), ("b", "2"), ("c", "3")]);
    }
}
