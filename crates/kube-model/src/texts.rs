//! Labels and annotations.

use std::collections::HashSet;
use std::ops::Deref;
use std::sync::Arc;

/// A few texts with names, in the order of the names: labels or annotations. Most objects have
/// none or one, and there are tens of thousands of objects: a tree would take a node of half a
/// kilobyte for each. Their names are often those of other objects.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts(Vec<(Arc<str>, Box<str>)>);

impl Texts {
    pub fn get(&self, name: &str) -> Option<&str> {
        let index = self.find(name).ok()?;
        self.0.get(index).map(|(_, text)| text.as_ref())
    }

    /// Whether there is a text of a name.
    pub fn contains(&self, name: &str) -> bool {
        self.find(name).is_ok()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.0.iter();
        pairs.map(|(name, text)| (name.as_ref(), text.as_ref()))
    }

    pub fn insert(&mut self, name: impl Into<Arc<str>>, text: impl Into<Box<str>>) {
        let (name, text) = (name.into(), text.into());
        match self.find(&name) {
            Ok(index) => {
                if let Some((_, old)) = self.0.get_mut(index) {
                    *old = text;
                }
            }
            Err(index) => self.0.insert(index, (name, text)),
        }
    }

    pub fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.0.retain(|(name, _)| is_kept(name));
        self.shrink_to_fit();
    }

    pub fn shrink_to_fit(&mut self) {
        self.0.shrink_to_fit();
    }

    /// Takes each name from `known` that is there, and adds the others to it.
    pub fn share_names(&mut self, known: &mut HashSet<Arc<str>>) {
        self.0.iter_mut().for_each(|(name, _)| share(name, known));
    }

    fn find(&self, wanted: &str) -> Result<usize, usize> {
        self.0
            .binary_search_by(|(name, _)| name.as_ref().cmp(wanted))
    }
}

fn share(text: &mut Arc<str>, known: &mut HashSet<Arc<str>>) {
    match known.get(text) {
        Some(same) => *text = Arc::clone(same),
        None => drop(known.insert(Arc::clone(text))),
    }
}

/// A text that tens of thousands of objects have in common, such as the reason of a condition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SharedText(Arc<str>);

impl SharedText {
    /// Takes the text from `known` if it is there, and adds it otherwise.
    pub fn share(&mut self, known: &mut HashSet<Arc<str>>) {
        share(&mut self.0, known);
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<T: Into<Arc<str>>> From<T> for SharedText {
    fn from(text: T) -> Self {
        SharedText(text.into())
    }
}

impl PartialEq<&str> for SharedText {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl PartialEq<String> for SharedText {
    fn eq(&self, other: &String) -> bool {
        **self == **other
    }
}

impl<N: Into<Arc<str>>, T: Into<Box<str>>> FromIterator<(N, T)> for Texts {
    /// Of one name the last text counts.
    fn from_iter<I: IntoIterator<Item = (N, T)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter();
        let mut texts: Vec<_> = pairs
            .map(|(name, text)| (name.into(), text.into()))
            .collect();
        texts.sort_by(|(one, _): &(Arc<str>, Box<str>), (other, _)| one.cmp(other));
        texts.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                std::mem::swap(&mut later.1, &mut earlier.1);
            }
            is_same
        });
        texts.shrink_to_fit();
        Texts(texts)
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

    /// In reverse order, each one would move all others.
    #[test]
    fn many_texts_are_sorted_quickly() {
        let texts: Texts = (0..500_000)
            .rev()
            .map(|nth| (format!("{nth:06}"), "v"))
            .collect();
        assert_eq!(texts.iter().count(), 500_000);
        assert_eq!(texts.iter().next(), Some(("000000", "v")));
    }
}
