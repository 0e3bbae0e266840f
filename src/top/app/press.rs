//! What keys do.

use super::super::keys::{Deed, Effect, Key, help};
use super::{App, Filter, Page, Paper, RowOrder, Talk};

impl App {
    /// A key was pressed.
    pub fn press(&mut self, key: Key) -> Option<Effect> {
        match key {
            Key::Ctrl('c') => return self.leave(),
            Key::Ctrl('z') => return Some(Effect::Stop),
            Key::Ctrl('l') => return Some(Effect::Repaint),
            _ => {}
        }
        if self.talk.is_some() {
            return self.press_in_talk(key);
        }
        if self.typing {
            self.press_in_filter(key);
            return None;
        }
        match (&self.page, key) {
            (Page::List, Key::Char('q')) => self.leave(),
            (Page::Help(_), _) => {
                self.press_in_text(key);
                None
            }
            (_, Key::Char('?')) => {
                let width = usize::from(self.size.width);
                self.page = Page::Help(Paper::of(&help(), width));
                None
            }
            (_, Key::Char('s')) => self.begin_suspending(),
            (_, Key::Char('t')) => self.begin(Deed::Trigger),
            (Page::Detail { .. }, _) => {
                self.press_in_text(key);
                None
            }
            (Page::List, _) => {
                self.press_in_list(key);
                None
            }
        }
    }

    /// A change that may be under way is finished first, unless somebody insists.
    fn leave(&mut self) -> Option<Effect> {
        let is_changing = self.talk.as_ref().is_some_and(Talk::is_changing);
        if is_changing && !self.leaving {
            self.leaving = true;
            self.note("the change is finished first; ctrl-c again leaves at once".to_owned());
            return None;
        }
        Some(Effect::Leave)
    }

    fn press_in_filter(&mut self, key: Key) {
        let mut text = self.filter.text().to_owned();
        match key {
            Key::Enter => self.typing = false,
            Key::Esc => {
                self.typing = false;
                text.clear();
            }
            Key::Backspace => {
                text.pop();
            }
            Key::Ctrl('u') => text.clear(),
            Key::Char(letter) => text.push(letter),
            _ => self.press_in_list(key),
        }
        self.set_filter(&text);
    }

    fn set_filter(&mut self, text: &str) {
        if self.filter.text() != text {
            self.filter = Filter::new(text);
            // At once: the next key may come before anything is drawn, and is about what fits.
            self.rebuild();
        }
    }

    fn press_in_text(&mut self, key: Key) {
        let (Page::Detail { paper, .. } | Page::Help(paper)) = &mut self.page else {
            return;
        };
        let room = self.size.page();
        let page = isize::try_from(room).unwrap_or(isize::MAX);
        match key {
            Key::Esc | Key::Backspace | Key::Enter | Key::Char('e' | 'd' | 'q' | '?') => {
                self.page = Page::List;
            }
            Key::Up | Key::Char('k') => paper.scroll_by(-1, room),
            Key::Down | Key::Char('j') => paper.scroll_by(1, room),
            Key::PageUp | Key::Ctrl('u' | 'b') => paper.scroll_by(-page, room),
            Key::PageDown | Key::Ctrl('d' | 'f') | Key::Char(' ') => paper.scroll_by(page, room),
            Key::Home | Key::Char('g') => paper.scroll_by(isize::MIN, room),
            Key::End | Key::Char('G') => paper.scroll_by(isize::MAX, room),
            _ => {}
        }
    }

    fn press_in_list(&mut self, key: Key) {
        let room = self.size.rows();
        let page = isize::try_from(room).unwrap_or(isize::MAX);
        let list = &mut self.list;
        match key {
            Key::Up | Key::Char('k') => list.move_by(-1, room),
            Key::Down | Key::Char('j') => list.move_by(1, room),
            Key::PageUp | Key::Ctrl('u' | 'b') => list.move_by(-page, room),
            Key::PageDown | Key::Ctrl('d' | 'f') | Key::Char(' ') => list.move_by(page, room),
            Key::Home | Key::Char('g') => list.to_first(room),
            Key::End | Key::Char('G') => list.to_last(room),
            Key::Enter | Key::Char('e' | 'd') => self.open(),
            Key::Esc => self.set_filter(""),
            Key::Char('/') => {
                self.typing = true;
                self.set_filter("");
            }
            Key::Char('!') => {
                let text = if self.filter.text() == "!" { "" } else { "!" };
                self.set_filter(text);
            }
            Key::Char('v') => self.timeline_wanted = !self.timeline_wanted,
            Key::Char('+' | '=') => self.timeline.nearer(),
            Key::Char('-') => self.timeline.farther(),
            Key::Char('H') => self.sort_by(RowOrder::Health),
            Key::Char('N') => self.sort_by(RowOrder::Name),
            Key::Char('X') => self.sort_by(RowOrder::Next),
            Key::Char('L') => self.sort_by(RowOrder::Last),
            Key::Char('M') => self.sort_by(RowOrder::Missed),
            Key::Char('A') => self.sort_by(RowOrder::Active),
            _ => {}
        }
    }

    fn open(&mut self) {
        if let Some(place) = self.list.selected().cloned() {
            let paper = Paper::new(usize::from(self.size.width));
            self.page = Page::Detail { place, paper };
        }
    }
}
