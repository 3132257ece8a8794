//! Small games searched to the end by independent plain programs that share no code with Parlour. Each knows
//! one game and returns its value to the first player.

use std::collections::HashMap;

/// Whether the first player wins Juniper Green with the numbers up to `n` (at most 63). What can follow
/// depends only on which numbers have been said and on the last one.
pub fn juniper_green(n: u64) -> bool {
    fn wins(n: u64, said: u64, last: u64, known: &mut HashMap<(u64, u64), bool>) -> bool {
        if let Some(wins) = known.get(&(said, last)) {
            return *wins;
        }
        let fits = |next: &u64| match last {
            0 => next.is_multiple_of(2),
            last => said >> next & 1 == 0 && (last.is_multiple_of(*next) || next.is_multiple_of(last)),
        };
        // Large primes end a match soonest, so large numbers are tried first.
        let found = (1..=n).rev().filter(fits).any(|next| !wins(n, said | 1 << next, next, known));
        known.insert((said, last), found);
        found
    }
    wins(n, 0, 0, &mut HashMap::new())
}

/// Whether the first player wins Procession for two with `n` digits, at most 12.
pub fn procession(n: u32) -> bool {
    /// What is known of a row and the multisets of run-lengths that have occurred, as bits.
    type Known = HashMap<(u32, u64), bool>;
    /// Returns the rows that can follow. `kinds` has the number of each row's multiset of run-lengths.
    fn next<'k>(row: u32, seen: u64, kinds: &'k [u32]) -> impl Iterator<Item = u32> + 'k {
        let changed = (0..kinds.len().ilog2()).map(move |at| row ^ 1 << at);
        changed.filter(move |row| seen >> kinds[*row as usize] & 1 == 0)
    }
    fn wins(row: u32, seen: u64, kinds: &[u32], known: &mut Known) -> bool {
        if let Some(wins) = known.get(&(row, seen)) {
            return *wins;
        }
        let after = |row: u32| seen | 1 << kinds[row as usize];
        let mut rows: Vec<u32> = next(row, seen, kinds).collect();
        rows.sort_by_key(|row| next(*row, after(*row), kinds).count());
        let found = rows.into_iter().any(|row| !wins(row, after(row), kinds, known));
        known.insert((row, seen), found);
        found
    }
    let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
    let kinds: Vec<u32> = (0..1 << n)
        .map(|row| {
            let fresh = numbers.len() as u32;
            *numbers.entry(runs(n, row)).or_insert(fresh)
        })
        .collect();
    wins(0, 1 << kinds[0], &kinds, &mut HashMap::new())
}

/// Returns the lengths of the runs of equal digits among the low `n` bits, ascending.
fn runs(n: u32, row: u32) -> Vec<u32> {
    let mut runs = vec![1];
    for i in 1..n {
        match (row >> i ^ row >> (i - 1)) & 1 {
            0 => *runs.last_mut().unwrap() += 1,
            _ => runs.push(1),
        }
    }
    runs.sort_unstable();
    runs
}

/// Returns the first player's final lead in Dots and Boxes on `rows` by `columns` boxes.
pub fn dots_and_boxes(rows: usize, columns: usize) -> i32 {
    let across = |row: usize, column: usize| 1u32 << (row * columns + column);
    let down = |row: usize, column: usize| 1u32 << ((rows + 1) * columns + row * (columns + 1) + column);
    let sides = (rows + 1) * columns + rows * (columns + 1);
    let boxes: Vec<u32> = (0..rows * columns)
        .map(|at| (at / columns, at % columns))
        .map(|(r, c)| across(r, c) | across(r + 1, c) | down(r, c) | down(r, c + 1))
        .collect();
    // Goes backwards from all sides drawn to none: the future margin of the player to draw depends on the
    // drawn sides alone.
    let mut ahead = vec![0i32; 1 << sides];
    for drawn in (0..(1u32 << sides) - 1).rev() {
        let closed = |drawn: u32| boxes.iter().filter(|sides| drawn & **sides == **sides).count() as i32;
        let behind = (0..sides).map(|side| drawn | 1 << side).filter(|next| *next != drawn).map(|next| {
            match closed(next) - closed(drawn) {
                0 => -ahead[next as usize],
                new => new + ahead[next as usize],
            }
        });
        ahead[drawn as usize] = behind.max().unwrap();
    }
    ahead[0]
}

/// Returns the first player's final lead in Sum Of Products with `n` rows and columns (at most 3).
pub fn sum_of_products(n: usize) -> i32 {
    fn worth(line: impl Iterator<Item = u8> + Clone) -> i32 {
        let copies = |number: u8| line.clone().filter(|other| *other == number).count() as i32;
        (1..).map(copies).take_while(|copies| *copies > 0).product()
    }
    /// Returns the lead with which a match ends from this board, in which 0 is empty; `ahead` is 1 if the player to
    /// write is the first.
    fn lead(n: usize, board: &mut Vec<u8>, ahead: i32, known: &mut HashMap<Vec<u8>, i32>) -> i32 {
        if let Some(lead) = known.get(board) {
            return *lead;
        }
        let found = match board.contains(&0) {
            false => {
                let cells = board.as_slice();
                let rows = (0..n).map(|row| worth((0..n).map(move |column| cells[row * n + column])));
                let columns = (0..n).map(|column| worth((0..n).map(move |row| cells[row * n + column])));
                rows.sum::<i32>() - columns.sum::<i32>()
            }
            true => {
                let mut leads = Vec::new();
                for at in (0..n * n).filter(|at| board[*at] == 0).collect::<Vec<_>>() {
                    for number in 1..=n as u8 {
                        board[at] = number;
                        leads.push(ahead * lead(n, board, -ahead, known));
                    }
                    board[at] = 0;
                }
                ahead * leads.into_iter().max().unwrap_or(0)
            }
        };
        known.insert(board.clone(), found);
        found
    }
    lead(n, &mut vec![0; n * n], 1, &mut HashMap::new())
}

/// Returns which cells win as the first move of Hex with `n` rows (at most 5), row by row. The first player
/// joins top and bottom.
pub fn hex_openings(n: usize) -> Vec<bool> {
    (0..n * n).map(|at| !hex_wins(n, [0, 1 << at], &mut HashMap::new())).collect()
}

/// Whether the player to move wins; `stones[0]` are that player's. The first player joins the first row to
/// the last, and is to move exactly if both have the same number of stones.
fn hex_wins(n: usize, stones: [u32; 2], known: &mut HashMap<[u32; 2], bool>) -> bool {
    if let Some(wins) = known.get(&stones) {
        return *wins;
    }
    let begins = stones[0].count_ones() == stones[1].count_ones();
    let free = (0..n * n).filter(|at| (stones[0] | stones[1]) >> at & 1 == 0);
    let mut free: Vec<usize> = free.collect();
    // Cells near the centre are worth most, so they are tried first.
    free.sort_by_key(|at| (at / n).abs_diff(n / 2) + (at % n).abs_diff(n / 2));
    let joins = |at: &usize| hex_joins(n, stones[0] | 1 << at, begins);
    let found =
        free.iter().any(joins) || free.iter().any(|at| !hex_wins(n, [stones[1], stones[0] | 1 << at], known));
    known.insert(stones, found);
    found
}

/// Whether stones join the first row to the last, or otherwise the first column to the last.
fn hex_joins(n: usize, stones: u32, rows: bool) -> bool {
    let line = |at: usize| if rows { at / n } else { at % n };
    let mut reached: Vec<usize> = (0..n * n).filter(|at| line(*at) == 0 && stones >> at & 1 == 1).collect();
    let mut met: u32 = reached.iter().fold(0, |met, at| met | 1 << at);
    while let Some(at) = reached.pop() {
        if line(at) == n - 1 {
            return true;
        }
        for (r, c) in [(0i32, 1i32), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)] {
            let (row, column) = ((at / n) as i32 + r, (at % n) as i32 + c);
            if row < 0 || column < 0 || row >= n as i32 || column >= n as i32 {
                continue;
            }
            let next = row as usize * n + column as usize;
            if stones >> next & 1 == 1 && met >> next & 1 == 0 {
                met |= 1 << next;
                reached.push(next);
            }
        }
    }
    false
}

/// Returns the value of Connect Four on a small board to the first player: 1, 0 or −1. Stones are bits,
/// column by column with a spare bit on top of each, as in J. Tromp and J. Allis; central columns come first.
pub fn connect_four(columns: u32, rows: u32) -> i32 {
    fn four(stones: u64, rows: u32) -> bool {
        [1, rows, rows + 1, rows + 2].iter().any(|step| {
            let two = stones & stones >> step;
            two & two >> (2 * step) != 0
        })
    }
    struct Search {
        columns: Vec<u32>,
        rows: u32,
        /// Lower and upper bounds on the values of positions.
        known: HashMap<[u64; 2], (i32, i32)>,
    }
    impl Search {
        fn worth(&mut self, [mine, yours]: [u64; 2], mut alpha: i32, mut beta: i32) -> i32 {
            let (all, height) = (mine | yours, self.rows + 1);
            let free = |column: u32| {
                let of = (1u64 << self.rows) - 1;
                let stones = (all >> (column * height) & of).count_ones();
                (stones < self.rows).then(|| 1u64 << (column * height + stones))
            };
            let moves: Vec<u64> = self.columns.iter().filter_map(|column| free(*column)).collect();
            if moves.is_empty() {
                return 0;
            }
            if moves.iter().any(|stone| four(mine | stone, self.rows)) {
                return 1;
            }
            let (lower, upper) = self.known.get(&[mine, yours]).copied().unwrap_or((-1, 1));
            (alpha, beta) = (alpha.max(lower), beta.min(upper));
            if alpha >= beta {
                return alpha;
            }
            let (from, mut best) = (alpha, -1);
            for stone in moves {
                best = best.max(-self.worth([yours, mine | stone], -beta, -alpha));
                alpha = alpha.max(best);
                if alpha >= beta {
                    break;
                }
            }
            let bounds = self.known.entry([mine, yours]).or_insert((-1, 1));
            if best > from {
                bounds.0 = bounds.0.max(best);
            }
            if best < beta {
                bounds.1 = bounds.1.min(best);
            }
            best
        }
    }
    let mut order: Vec<u32> = (0..columns).collect();
    order.sort_by_key(|column| (2 * column + 1).abs_diff(columns));
    Search { columns: order, rows, known: HashMap::new() }.worth([0, 0], -1, 1)
}
