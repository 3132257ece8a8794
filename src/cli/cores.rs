//! Work shared among threads; each thread takes the next piece as soon as it is free.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Returns the number of threads that this machine can run at the same time.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Runs `work` on the pieces 0 to `pieces` − 1 with the given number of threads. Pieces are started in order;
/// `take` gets each result as soon as it is ready, in any order. Once `take` returns false no more pieces are
/// started, but results of those already started are still passed on.
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

/// Runs tasks 0 to `tasks` − 1 on all cores. This is the `crew` argument of [`crate::explore`] and others.
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
