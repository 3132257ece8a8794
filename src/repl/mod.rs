//! Interactive play: a pure session (text in, reply out), and one module that owns the terminal.

mod acts;
mod beginning;
mod bots_turn;
mod choices;
mod commands;
mod complete;
mod curve;
mod dangers;
mod disk;
mod files;
mod hints;
mod history;
mod lookback;
mod reading;
pub mod review;
mod screen;
mod secrets;
mod session;
mod setup;
mod stored;
mod table;
pub mod terminal;
mod typed;
mod verdict;
mod why;
mod words;

pub use acts::Act;
pub use bots_turn::{BackgroundThinker, Outlook, Task};
pub use complete::Guide;
pub use disk::{Disk, Since};
pub use history::account;
pub use lookback::Lookback;
pub use screen::{laid_open, played_by};
pub use session::{Asked, Outside, Reply, Session};
pub use table::{Opening, Table, bots_of_record};
pub use words::result_words;
