//! engine
use super::Exit;
pub fn run() -> Exit {
    Ok(0)
}
