//! Work shared out among threads, which take the next piece as soon as they are free.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// How many threads run at the same time on this machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Does so many pieces of work, numbered from 0, on so many threads. They are begun in order, and `take` gets what came out of each as
/// soon as it is done, in whatever order. Once it says no, nothing is begun any more; what has begun is still handed over.
pub fn share_out<T: Send>(
    threads: usize,
    pieces: usize,
    work: &(dyn Fn(usize) -> T + Sync),
    take: &mut dyn FnMut(usize, T) -> bool,
) {
    let (begun, over) = (&AtomicUsize::new(0), &AtomicBool::new(false));
    std::thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        for _ in 0..threads.min(pieces) {
            let send = send.clone();
            scope.spawn(move || {
                while !over.load(Ordering::SeqCst) {
                    let piece = begun.fetch_add(1, Ordering::SeqCst);
                    if piece >= pieces || send.send((piece, work(piece))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        for (piece, done) in receive {
            if !take(piece, done) {
                over.store(true, Ordering::SeqCst);
            }
        }
    });
}

/// Carries out tasks 0 to n − 1 on all cores: the crew of what is handed one.
pub fn crew(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    share_out(cores(), tasks, &task, &mut |_, ()| true);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_is_done_once_and_none_is_begun_after_a_no() {
        for threads in 1..4 {
            let mut done = vec![0; 50];
            share_out(threads, 50, &|piece| piece * piece, &mut |piece, square| {
                assert_eq!(square, piece * piece);
                done[piece] += 1;
                true
            });
            assert_eq!(done, [1; 50]);
        }
        let mut done = Vec::new();
        share_out(
            1,
            1_000_000,
            &|piece| std::thread::sleep(std::time::Duration::from_micros(piece as u64)),
            &mut |piece, ()| {
                done.push(piece);
                piece < 3
            },
        );
        assert!(done.len() < 1_000_000 && done[..4] == [0, 1, 2, 3], "{}", done.len());
    }
}
