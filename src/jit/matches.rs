//! Whole matches: batches played by code, and stop by stop in the reference where code cannot.

use crate::engine::{Engine, Reason, RecordEvent, play_on, play_stop, record_one};
use crate::eval::{Fault, MAX_STEPS, Waiting};
use crate::jit::builder::bail_out::op_span;
use crate::jit::builder::data::Logged;
use crate::jit::layout::codec::{self, Memory};
use crate::jit::runtime::call::{Ended, Workspace};
use crate::jit::{Compiled, Flat, State};
use crate::num::Rng;

/// The maximum number of matches played before their ends are reported.
const BATCH: u64 = 64;

/// The memory that one thread works in.
#[derive(Debug, Default)]
pub struct Worker {
    /// The memory that code runs in.
    pub workspace: Workspace,
    /// A copy of the position, in case code spoils it.
    pub spare: Memory,
    /// The positions of the matches in a batch.
    matches: Vec<State>,
    /// The number of choices made in each match that is over.
    moves: Vec<u64>,
}

/// The source of randomness for a batch of matches.
enum Streams<'s> {
    /// One stream shared by this many matches, one after the other.
    One(&'s mut Rng, usize),
    /// One stream for each match.
    Own(&'s mut [Rng]),
}

impl Flat {
    /// Prepares the workspace for one step from a position.
    pub(in crate::jit) fn prepare(&self, workspace: &mut Workspace, memory: &Memory) {
        workspace.set_interpreter(&self.code.data.interpreter);
        workspace.interpreter_state.clear();
        workspace.context.cost = self.code.cost;
        workspace.context.fuel = MAX_STEPS as i64;
        workspace.context.draws = codec::draws(memory);
        workspace.context.max_moves = -1;
        workspace.context.task = -1;
    }

    /// Plays a batch of matches from `start` and reports the end of each. Returns how many are over, and how
    /// code ended. If the next match is not over, its position is swapped into `worker.matches[0]`.
    fn play_batch(
        &self,
        worker: &mut Worker,
        start: &Memory,
        (streams, max_moves): (Streams, u64),
        on: &mut dyn FnMut(&State, u64),
    ) -> (usize, Ended) {
        let Worker { workspace, matches, moves, .. } = &mut *worker;
        let size = match &streams {
            Streams::One(_, count) => *count,
            Streams::Own(streams) => streams.len(),
        };
        matches.resize_with(matches.len().max(size), || State::Flat(Memory::new()));
        let fresh = matches[..size].iter_mut().filter_map(|state| match state {
            State::Flat(memory) => {
                memory.clone_from(start);
                Some(memory)
            }
            State::Full(_) => None,
        });
        self.prepare(workspace, start);
        workspace.set_max_moves(max_moves);
        let ended = match streams {
            Streams::One(rng, _) => {
                workspace.context.chance = rng.state;
                let ended = workspace.run(self.code.play, fresh);
                rng.state = workspace.context.chance;
                ended
            }
            Streams::Own(streams) => workspace.run_apart(self.code.play, fresh.zip(streams)),
        };
        moves.clear();
        moves.extend(workspace.finished_moves());
        matches.iter().zip(&*moves).for_each(|(state, moves)| on(state, *moves));
        if ended != Ended::Done {
            matches.swap(0, moves.len());
        }
        (moves.len(), ended)
    }
}

/// Reports the log rows of one match. Returns the rows of the matches after it.
fn report_log<'r>(
    logged: &[Logged],
    mut rows: &'r [i64],
    on: &mut dyn FnMut(RecordEvent<State>),
) -> &'r [i64] {
    while let Some(number) = rows.first().and_then(|number| usize::try_from(*number).ok()) {
        let (row, rest) = rows.split_at(logged[number].words(rows));
        on(RecordEvent::Words(row));
        rows = rest;
    }
    rows.get(1..).unwrap_or_default()
}

impl Compiled {
    /// Plays `count` matches from the start, as [`Engine::playouts`] does.
    pub(in crate::jit) fn play_matches(
        &self,
        worker: &mut Worker,
        rng: &mut Rng,
        (max_moves, count): (u64, u64),
        on: &mut dyn FnMut(&State, u64),
    ) -> Result<(), Fault> {
        let (mut over, mut batch) = (0, 1);
        while over < count {
            let size = (count - over).min(batch);
            let (played, ended) = self.play_some(worker, (Streams::One(rng, size as usize), max_moves), on);
            over += played as u64;
            batch = BATCH.min(batch * 2);
            if ended != Some(Ended::Done) {
                self.play_next(worker, ended, (rng, max_moves), on)?;
                over += 1;
                batch = 1;
            }
        }
        Ok(())
    }

    /// Plays a match from the start in each stream, as [`Engine::playouts_per_stream`] does.
    pub(in crate::jit) fn play_matches_apart(
        &self,
        worker: &mut Worker,
        mut streams: &mut [Rng],
        max_moves: u64,
        on: &mut dyn FnMut(&State, u64),
    ) -> Result<(), Fault> {
        let mut batch = 1;
        while !streams.is_empty() {
            let size = streams.len().min(batch);
            let (played, ended) = self.play_some(worker, (Streams::Own(&mut streams[..size]), max_moves), on);
            streams = &mut streams[played..];
            batch = (BATCH as usize).min(batch * 2);
            if ended != Some(Ended::Done) {
                self.play_next(worker, ended, (&mut streams[0], max_moves), on)?;
                streams = &mut streams[1..];
                batch = 1;
            }
        }
        Ok(())
    }

    /// Plays a match from the start in each stream, as [`Engine::record`] does.
    pub(in crate::jit) fn record_matches(
        &self,
        worker: &mut Worker,
        mut streams: &mut [Rng],
        max_moves: u64,
        on: &mut dyn FnMut(RecordEvent<State>),
    ) -> Result<(), Fault> {
        let Some(logged) = self.flat.as_ref().and_then(|flat| flat.code.logged.as_ref()) else {
            return streams.iter_mut().try_for_each(|rng| record_one(self, rng, max_moves, on));
        };
        let mut batch = 1;
        while !streams.is_empty() {
            let size = streams.len().min(batch);
            batch = (BATCH as usize).min(batch * 2);
            let mut tried = streams[..size].to_vec();
            let how = (Streams::Own(&mut tried), max_moves);
            let (played, ended) = self.play_some(worker, how, &mut |_, _| {});
            let over = ended == Some(Ended::Done);
            if ended.is_some_and(|ended| ended != Ended::Done) {
                worker.matches.swap(0, played);
            }
            let mut rows = worker.workspace.rows.as_slice();
            for (state, moves) in worker.matches.iter().zip(&worker.moves).take(played) {
                rows = report_log(logged, rows, on);
                on(RecordEvent::Over(state, *moves));
            }
            streams[..played].clone_from_slice(&tried[..played]);
            streams = &mut streams[played..];
            if !over {
                record_one(self, &mut streams[0], max_moves, on)?;
                streams = &mut streams[1..];
                batch = 1;
            }
        }
        Ok(())
    }

    /// Plays a match to its end in logging code and returns the number of choices made. Returns `None`, with
    /// nothing changed, if there is no such code or if it did not reach the end.
    pub(in crate::jit) fn play_logged(
        &self,
        worker: &mut Worker,
        state: &mut State,
        rng: &mut Rng,
        max_moves: u64,
        on: &mut dyn FnMut(RecordEvent<State>),
    ) -> Option<u64> {
        let flat = self.flat.as_ref()?;
        let logged = flat.code.logged.as_ref()?;
        let State::Flat(memory) = &*state else { return None };
        if !codec::none_sealed(&flat.layout, memory)
            || matches!(codec::waiting(&flat.layout, memory), Waiting::Over)
        {
            return None;
        }
        let mut after = memory.clone();
        let Worker { workspace, .. } = &mut *worker;
        flat.prepare(workspace, memory);
        workspace.set_stream(rng, max_moves);
        if workspace.run(flat.code.play, [&mut after]) != Ended::Done {
            return None;
        }
        rng.state = workspace.context.chance;
        report_log(logged, &workspace.rows, on);
        *state = State::Flat(after);
        Some(workspace.finished_moves().sum())
    }

    /// Plays matches from the start in code. Returns how many are over, and how code ended (`None`: no code
    /// ran).
    fn play_some(
        &self,
        worker: &mut Worker,
        how: (Streams, u64),
        on: &mut dyn FnMut(&State, u64),
    ) -> (usize, Option<Ended>) {
        match (&self.start, &self.flat) {
            (Some(State::Flat(start)), Some(flat)) if codec::none_sealed(&flat.layout, start) => {
                let (played, ended) = flat.play_batch(worker, start, how, on);
                (played, Some(ended))
            }
            _ => (0, None),
        }
    }

    /// Plays the match that code could not finish to its end.
    fn play_next(
        &self,
        worker: &mut Worker,
        ended: Option<Ended>,
        (rng, max_moves): (&mut Rng, u64),
        on: &mut dyn FnMut(&State, u64),
    ) -> Result<(), Fault> {
        let unfinished =
            worker.matches.first_mut().filter(|_| ended == Some(Ended::SideExit)).map(std::mem::take);
        let (mut state, made) = match unfinished {
            Some(state) => (state, worker.workspace.moves_so_far()),
            None => (self.start()?, 0),
        };
        let moves = self.play_out(worker, &mut state, rng, (made, max_moves))?;
        on(&state, moves);
        Ok(())
    }

    /// Plays a match to its end, using the reference only where code cannot go on. `made` choices have been
    /// made of at most `max_moves`; returns the total at the end.
    pub(in crate::jit) fn play_out(
        &self,
        worker: &mut Worker,
        state: &mut State,
        rng: &mut Rng,
        (mut made, max_moves): (u64, u64),
    ) -> Result<u64, Fault> {
        let Some(flat) = &self.flat else {
            let mut position = self.to_position(state);
            let moves = play_on(&self.machine, &mut position, rng, max_moves - made, &mut |_| {})?;
            *state = self.state_of(&position);
            let reason = self.left_out.first().cloned();
            self.count(reason, moves);
            return Ok(made + moves);
        };
        // The number of choices to try in one run of code: they are lost if it bails out.
        let mut run_limit = 1;
        let mut counted = None;
        loop {
            match self.waiting(state) {
                Waiting::Over => return Ok(made),
                Waiting::Choice { .. } if made >= max_moves && self.nobody_has_chosen(state) => {
                    return Ok(made);
                }
                _ => {}
            }
            let mut reason = self.reason_here(flat, state);
            if reason.is_none()
                && let State::Flat(memory) = &mut *state
            {
                let Worker { workspace, spare, .. } = &mut *worker;
                let most = run_limit.min(max_moves.saturating_sub(made));
                spare.clone_from(memory);
                flat.prepare(workspace, memory);
                workspace.set_stream(rng, most);
                match workspace.run(flat.code.play, [&mut *memory]) {
                    Ended::Done => {
                        made += workspace.finished_moves().sum::<u64>();
                        rng.state = workspace.context.chance;
                        run_limit = run_limit.saturating_mul(2);
                        continue;
                    }
                    Ended::SideExit => {
                        made += workspace.moves_so_far();
                        rng.state = workspace.context.chance;
                    }
                    Ended::BailedOut | Ended::Refused => {
                        std::mem::swap(memory, spare);
                        if std::mem::replace(&mut run_limit, 1) > 1 {
                            continue;
                        }
                    }
                }
                reason = flat.code.data.reasons.get(workspace.context.reason as usize).cloned();
            }
            let (moves, only_stopped) = self.stop_by_reference(state, rng)?;
            if only_stopped {
                continue;
            }
            made += moves;
            // Ops executed after a choice count as a bail-out of that choice, once.
            let choices = if moves == 0 { u64::from(made > 0 && counted != Some(made)) } else { moves };
            counted = Some(made);
            self.count(reason, choices);
        }
    }

    /// Returns why the reference must play on from here, if that is known before code tries.
    fn reason_here(&self, flat: &Flat, state: &State) -> Option<Reason> {
        let text = match state {
            State::Flat(memory) if !codec::none_sealed(&flat.layout, memory) => {
                "a joint choice that was begun before"
            }
            State::Flat(memory) => flat.code.side_exits.get(&codec::pc(memory))?,
            State::Full(_) => super::FULL,
        };
        let pc = match state {
            State::Flat(memory) => codec::pc(memory),
            State::Full(position) => position.pc,
        };
        Some(Reason { span: op_span(&self.machine.game, pc), text: text.to_string() })
    }

    /// Advances the reference to the next stop, or from a stop by resolving what it waits for. Returns the
    /// number of choices made, and whether play stopped at the op where code had left off.
    fn stop_by_reference(&self, state: &mut State, rng: &mut Rng) -> Result<(u64, bool), Fault> {
        let mut position = self.to_position(state);
        let from = position.pc;
        let gone_on = match position.waiting {
            Waiting::Nothing => {
                self.machine.run(&mut position)?;
                (0, position.pc == from && position.waiting != Waiting::Over)
            }
            _ => (play_stop(&self.machine, &mut position, rng, &mut |_| {})?, false),
        };
        *state = self.state_of(&position);
        Ok(gone_on)
    }
}
