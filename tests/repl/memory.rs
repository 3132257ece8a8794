//! A disk in memory, shared by the sessions that use it one after another.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parlour::bots::Clock;
use parlour::repl::{Disk, Since};

#[derive(Default)]
pub struct Shelf {
    pub files: BTreeMap<String, String>,
    /// The text of each kept match, and when it was written.
    kept: BTreeMap<String, (String, u64)>,
    over: BTreeMap<String, String>,
    clock: u64,
    /// The milliseconds on the clock.
    now: Arc<AtomicU64>,
    /// The milliseconds that pass at each look at the clock, instead of 100.
    pub pace: Option<u64>,
    drawn: u64,
    pub full: bool,
}

#[derive(Clone, Default)]
pub struct Memory(pub Rc<RefCell<Shelf>>);

/// A clock that advances at each look.
struct Ticking {
    now: Arc<AtomicU64>,
    pace: u64,
}

impl Clock for Ticking {
    fn millis(&self) -> u64 {
        self.now.fetch_add(self.pace, Ordering::SeqCst) + self.pace
    }
}

impl Disk for Memory {
    fn chance(&mut self) -> u64 {
        let mut shelf = self.0.borrow_mut();
        shelf.drawn += 1;
        shelf.drawn
    }

    fn clock(&self) -> Box<dyn Clock + Sync> {
        let shelf = self.0.borrow();
        Box::new(Ticking { now: Arc::clone(&shelf.now), pace: shelf.pace.unwrap_or(100) })
    }

    fn games_here(&self) -> Vec<String> {
        self.0.borrow().files.keys().filter(|name| name.ends_with(".game")).cloned().collect()
    }

    fn read(&self, path: &str) -> Result<String, String> {
        self.0.borrow().files.get(path).cloned().ok_or_else(|| "there is no such file".to_string())
    }

    fn exists(&self, path: &str) -> bool {
        self.0.borrow().files.contains_key(path)
    }

    fn write(&mut self, path: &str, text: &str) -> Result<(), String> {
        let mut shelf = self.0.borrow_mut();
        if shelf.full {
            return Err("the disk is full".to_string());
        }
        shelf.files.insert(path.to_string(), text.to_string());
        Ok(())
    }

    fn full_path(&self, path: &str) -> String {
        path.to_string()
    }

    fn store(&mut self, name: Option<&str>, game: &str, text: &str) -> Result<String, String> {
        let mut shelf = self.0.borrow_mut();
        if shelf.full {
            return Err("the disk is full".to_string());
        }
        shelf.clock += 1;
        let clock = shelf.clock;
        let name = name.map_or_else(|| format!("{game}-{clock}"), str::to_string);
        shelf.kept.insert(name.clone(), (text.to_string(), clock));
        Ok(name)
    }

    fn stored(&self) -> Vec<String> {
        let shelf = self.0.borrow();
        let mut names: Vec<(u64, String)> =
            shelf.kept.iter().map(|(name, (_, clock))| (*clock, name.clone())).collect();
        names.sort();
        names.into_iter().rev().map(|(_, name)| name).collect()
    }

    fn finished(&self) -> Vec<String> {
        self.0.borrow().over.keys().rev().cloned().collect()
    }

    fn read_stored(&self, name: &str) -> Result<String, String> {
        let shelf = self.0.borrow();
        let kept = shelf.kept.get(name).map(|(text, _)| text).or_else(|| shelf.over.get(name));
        kept.cloned().ok_or_else(|| "there is no such file".to_string())
    }

    fn annotate(&mut self, name: &str, text: &str) -> Result<(), String> {
        let mut shelf = self.0.borrow_mut();
        match shelf.kept.get_mut(name) {
            Some((kept, _)) => *kept = text.to_string(),
            None => drop(shelf.over.insert(name.to_string(), text.to_string())),
        }
        Ok(())
    }

    fn stored_since(&self, name: &str) -> Option<Since> {
        let shelf = self.0.borrow();
        // A step of the clock is a day; the first is 2 January 1970.
        shelf.kept.get(name).map(|(_, at)| Since { at: at * 86_400, age: (shelf.clock - at) * 86_400 })
    }

    fn played_elsewhere(&self, _name: &str) -> bool {
        false
    }

    fn finish(&mut self, name: &str) {
        let mut shelf = self.0.borrow_mut();
        if let Some((text, _)) = shelf.kept.remove(name) {
            shelf.over.insert(name.to_string(), text);
        }
    }

    fn forget(&mut self, name: &str) -> Result<(), String> {
        let mut shelf = self.0.borrow_mut();
        let gone = shelf.kept.remove(name).map(|(text, _)| text).or_else(|| shelf.over.remove(name));
        gone.map(|_| ()).ok_or_else(|| "there is no such file".to_string())
    }
}
