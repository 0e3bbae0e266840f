//! Keys, as they are pressed.

use std::thread;

use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, read};
use tokio::sync::mpsc::UnboundedSender;

use super::message::Message;
use crate::top::Key;

/// Passes keys on until there is no terminal any more. Its thread ends with the process: nobody can
/// wake it but a key.
pub(super) fn listen(sender: &UnboundedSender<Message>) {
    let sender = sender.clone();
    thread::spawn(move || {
        loop {
            let message = match read() {
                Ok(Event::Key(event)) => key(event).map(Message::Key),
                Ok(Event::Resize(..)) => Some(Message::Resized),
                Ok(_) => None,
                Err(_) => Some(Message::Hung),
            };
            let is_hung = matches!(message, Some(Message::Hung));
            if let Some(message) = message
                && (sender.send(message).is_err() || is_hung)
            {
                return;
            }
        }
    });
}

fn key(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let with = |modifier| event.modifiers.contains(modifier);
    Some(match event.code {
        KeyCode::Char(letter) if with(KeyModifiers::CONTROL) => {
            Key::Ctrl(letter.to_ascii_lowercase())
        }
        KeyCode::Char(_) if with(KeyModifiers::ALT) => return None,
        KeyCode::Char(letter) => Key::Char(letter),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        _ => return None,
    })
}
