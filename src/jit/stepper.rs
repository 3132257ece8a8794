//! [`CompiledStepper`]: plays a compiled game one step at a time, with the reference as fallback.

use crate::engine::identity::Identity;
use crate::engine::{
    DrawOutcome, Engine, Ids, Listed, Reason, Stepper, Turn, count_by_reference, list_by_reference, no_move,
    play_stop, seen_cells, view_words, waits_for,
};
use crate::eval::{Chosen, Fault, Position};
use crate::ir::ChanceKind;
use crate::jit::compile::StepCode;
use crate::jit::layout::codec::{self, Memory};
use crate::jit::layout::key::LastingKeys;
use crate::jit::layout::view_key::ViewKeys;
use crate::jit::runtime::call::{CHANCE, DRAW, Ended, LIST, OUTCOME, SAMPLE, StepTask, Workspace};
use crate::jit::{Compiled, Flat, State};
use crate::num::Rng;

/// Plays a compiled game one step at a time.
#[derive(Debug)]
pub struct CompiledStepper<'c> {
    game: &'c Compiled,
    code: Option<(&'c Flat, &'c StepCode)>,
    workspace: Workspace,
    /// Builds the keys for [`Stepper::lasting_key`], created on first use.
    lasting: Option<LastingKeys>,
    identity: Option<Identity>,
    /// For each seat and, last, for a spectator: the cells seen at any time, and the keys for [`Stepper::view_key`];
    /// created on first use.
    views: Option<Vec<(Vec<bool>, Option<ViewKeys>)>>,
    /// The ids listed by the reference.
    listed: Vec<u32>,
    /// The end offset of each position's ids in a bulk listing.
    ends: Vec<usize>,
}

/// What code should do at a position, for the seat whose turn it is.
#[derive(Debug, Clone, Copy)]
struct StepRequest {
    task: i64,
    lists: bool,
}

impl<'c> CompiledStepper<'c> {
    pub(super) fn new(game: &'c Compiled) -> CompiledStepper<'c> {
        let code = game.flat.as_ref().and_then(|flat| Some((flat, game.steps(flat).ok()?)));
        let mut workspace = Workspace::default();
        if let Some((flat, steps)) = code {
            workspace.ready_to_step(&steps.data.interpreter, steps.cost, flat.layout.bytes as usize / 8);
        }
        CompiledStepper {
            game,
            code,
            workspace,
            lasting: None,
            identity: None,
            views: None,
            listed: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Returns what builds keys of flat positions; `None` if there is no code.
    fn keys(&mut self) -> Option<&mut LastingKeys> {
        let (flat, _) = self.code?;
        let machine = &self.game.machine;
        let identity = self.identity.get_or_insert_with(|| Identity::of(machine));
        Some(
            self.lasting
                .get_or_insert_with(|| LastingKeys::new(&flat.layout, &machine.game, identity.clone())),
        )
    }

    /// Returns the stepping code and the choice that a seat is to make, if the position is in flat memory.
    #[inline]
    fn choice_of<'s>(&self, state: &'s State, seat: usize) -> Option<(&'c StepCode, usize, &'s Memory)> {
        let (State::Flat(memory), Some((_, steps))) = (state, self.code) else { return None };
        match codec::turn(memory) {
            Turn::Choice { choice, seats } if seat < 64 && seats >> seat & 1 == 1 => {
                Some((steps, choice, memory))
            }
            _ => None,
        }
    }

    /// Whether the position is in flat memory and some seat is to choose.
    #[inline]
    fn is_choice(&self, state: &State) -> bool {
        matches!(state, State::Flat(memory) if matches!(codec::turn(memory), Turn::Choice { seats: 1.., .. }))
    }

    /// Runs a task at a position. If code bails out, the position and the stream are restored.
    #[inline]
    fn run(
        &mut self,
        state: &mut State,
        seat: i64,
        request: StepRequest,
        mut rng: Option<&mut Rng>,
    ) -> Ended {
        let (State::Flat(memory), Some((flat, steps))) = (&mut *state, self.code) else {
            return Ended::Refused;
        };
        let workspace = &mut self.workspace;
        if !flat.layout.saved_by_code() {
            workspace.spare.clone_from(memory);
        }
        let task = StepTask { task: request.task, seat, lists: request.lists, rng: rng.as_deref_mut() };
        let ended = workspace.step(steps.step, memory, task);
        if ended == Ended::BailedOut {
            self.restore(state, rng);
        }
        ended
    }

    /// Restores the position and its stream after a bail-out.
    #[cold]
    fn restore(&self, state: &mut State, rng: Option<&mut Rng>) {
        let (State::Flat(memory), Some((flat, _))) = (state, self.code) else { return };
        let by_code = flat.layout.saved_by_code();
        let words = if by_code { flat.layout.bytes as usize / 8 } else { self.workspace.spare.len() };
        memory.clear();
        memory.extend_from_slice(&self.workspace.spare[..words]);
        if let Some(rng) = rng {
            rng.state = self.workspace.context.chance;
        }
    }

    /// Continues in the reference after a bail-out or side exit.
    #[cold]
    fn run_in_reference<T>(
        &mut self,
        state: &mut State,
        choices: u64,
        go_on: impl FnOnce(&mut Position) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let reason = match (&*state, self.code) {
            (State::Flat(_), Some((_, steps))) => {
                steps.data.reasons.get(self.workspace.context.reason as usize).cloned()
            }
            (State::Full(position), Some(_)) => {
                let span = super::op_span(&self.game.machine.game, position.pc);
                Some(Reason { span, text: super::FULL.to_string() })
            }
            _ => self.game.left_out.first().cloned(),
        };
        self.game.count(reason, choices);
        self.game.run_in_reference(state, go_on)
    }

    /// Makes a move; with a stream, also resolves the draws of chance that follow.
    #[inline]
    fn make_move(
        &mut self,
        state: &mut State,
        (seat, id): (usize, u32),
        lists: bool,
        rng: Option<&mut Rng>,
    ) -> Result<MadeBy, Fault> {
        if self.choice_of(state, seat).is_some() {
            let request = StepRequest { task: i64::from(id), lists };
            match self.run(state, seat as i64, request, rng) {
                Ended::Done => return Ok(MadeBy::ByCode),
                Ended::SideExit => {
                    let machine = &self.game.machine;
                    self.run_in_reference(state, 1, |position| machine.run(position))?;
                    return Ok(MadeBy::ByReference);
                }
                Ended::BailedOut | Ended::Refused => {}
            }
        }
        self.make_by_reference(state, seat, id)
    }

    /// Makes a move in the reference.
    #[cold]
    fn make_by_reference(&mut self, state: &mut State, seat: usize, id: u32) -> Result<MadeBy, Fault> {
        let position = self.game.to_position(state);
        let chosen = waits_for(&position, seat).and_then(|choice| self.game.ids().chosen(choice, id));
        let Some(chosen) = chosen else { return Ok(MadeBy::Not) };
        let machine = &self.game.machine;
        self.run_in_reference(state, 1, |position| machine.choose(position, seat, chosen))?;
        Ok(MadeBy::ByReference)
    }

    /// Lists the ids of a seat's legal moves in the reference. Returns whether the moves have ids.
    #[cold]
    fn list_by_reference(&mut self, state: &State, seat: usize) -> Result<bool, Fault> {
        self.listed.clear();
        // Moves without ids need not be listed at all.
        if let Turn::Choice { choice, seats } = self.turn(state)
            && seat < 64
            && seats >> seat & 1 == 1
            && !self.game.ids().has(choice)
        {
            return Ok(false);
        }
        let position = self.game.to_position(state);
        list_by_reference(&self.game.machine, self.game.ids(), &position, seat, &mut self.listed)
    }

    /// Lists the moves of the seat whose turn it is, from index `offset` on. Returns their number;
    /// `None` if they have no ids.
    fn append_list(&mut self, state: &State, offset: usize) -> Result<Option<usize>, Fault> {
        let Some(seat) = self.turn(state).seat() else { return Ok(Some(0)) };
        if let Some((steps, _, memory)) = self.choice_of(state, seat) {
            self.workspace.lists_ids(offset);
            let task = StepTask { task: LIST, seat: seat as i64, lists: false, rng: None };
            if self.workspace.query(steps.step, memory, task) == Ended::Done
                && let Ok(count) = usize::try_from(self.workspace.answer())
            {
                return Ok(Some(count));
            }
        }
        let numbered = self.list_by_reference(state, seat)?;
        self.workspace.insert_ids(offset, &self.listed);
        Ok(numbered.then_some(self.listed.len()))
    }

    /// Lists the moves of the seat whose turn it is in the reference and inserts their ids at `at`.
    #[cold]
    fn insert_list(&mut self, state: &State, at: usize) -> Result<usize, Fault> {
        let Some(seat) = self.turn(state).seat() else { return Ok(0) };
        self.list_by_reference(state, seat)?;
        self.workspace.insert_ids(at, &self.listed);
        Ok(self.listed.len())
    }

    /// Makes a move and lists the next moves, from index `offset` on.
    #[inline]
    fn step_and_append(
        &mut self,
        state: &mut State,
        id: u32,
        rng: &mut Rng,
        offset: usize,
    ) -> Result<Option<usize>, Fault> {
        let Some(seat) = self.turn(state).seat() else { return Ok(None) };
        self.workspace.lists_ids(offset);
        match self.make_move(state, (seat, id), true, Some(&mut *rng))? {
            MadeBy::Not => return Ok(None),
            MadeBy::ByCode => {
                if let Ok(count) = usize::try_from(self.workspace.answer()) {
                    return Ok(Some(count));
                }
            }
            MadeBy::ByReference => {}
        }
        self.chance(state, rng)?;
        self.append_list(state, offset)
    }

    /// Runs code on positions in order, stopping at one that is not in flat memory or not at a choice, or at
    /// one where code fails. Returns how many are done, and how code ended; their answers are in the
    /// workspace.
    fn run_each(
        &mut self,
        states: &mut [State],
        rngs: &mut [Rng],
        request: impl Fn(usize) -> StepRequest,
    ) -> (usize, Ended) {
        let Some((_, steps)) = self.code.filter(|(flat, _)| flat.layout.saved_by_code()) else {
            return (0, Ended::Refused);
        };
        let tasks = states.iter_mut().zip(rngs.iter_mut()).enumerate().map_while(|(at, (state, rng))| {
            let State::Flat(memory) = state else { return None };
            let Turn::Choice { seats: 1.., .. } = codec::turn(memory) else { return None };
            let StepRequest { task, lists } = request(at);
            Some((memory, StepTask { task, seat: -1, lists, rng: Some(rng) }))
        });
        let ended = self.workspace.step_each(steps.step, tasks);
        let done = self.workspace.current_item();
        if ended == Ended::BailedOut {
            self.restore(&mut states[done], Some(&mut rngs[done]));
        }
        (done, ended)
    }

    /// Continues in the reference after a side exit, up to the next choice.
    #[cold]
    fn after_side_exit(&mut self, state: &mut State, rng: &mut Rng) -> Result<(), Fault> {
        let machine = &self.game.machine;
        self.run_in_reference(state, 1, |position| machine.run(position))?;
        self.chance(state, rng)?;
        Ok(())
    }
}

/// Who made a move, if anyone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MadeBy {
    Not,
    ByCode,
    ByReference,
}

impl Stepper for CompiledStepper<'_> {
    type State = State;

    fn ids(&self) -> &Ids {
        self.game.ids()
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match state {
            State::Flat(memory) => codec::turn(memory),
            State::Full(position) => Turn::of(&position.waiting),
        }
    }

    fn count(&mut self, state: &State, seat: usize) -> Result<u64, Fault> {
        if let Some((steps, choice, memory)) = self.choice_of(state, seat)
            && let Some(code) = steps.counts[choice].and_then(|function| steps.data.entry(function))
        {
            let task = StepTask { task: LIST, seat: seat as i64, lists: false, rng: None };
            if self.workspace.query(code, memory, task) == Ended::Done {
                return Ok(self.workspace.answer() as u64);
            }
        }
        count_by_reference(&self.game.machine, &self.game.to_position(state), seat)
    }

    #[inline]
    fn list(&mut self, state: &State, seat: usize) -> Result<Option<&[u32]>, Fault> {
        if let Some((steps, _, memory)) = self.choice_of(state, seat) {
            self.workspace.lists_ids(0);
            let task = StepTask { task: LIST, seat: seat as i64, lists: false, rng: None };
            if self.workspace.query(steps.step, memory, task) == Ended::Done
                && let Ok(count) = usize::try_from(self.workspace.answer())
            {
                return Ok(Some(self.workspace.ids(0, count)));
            }
        }
        let numbered = self.list_by_reference(state, seat)?;
        Ok(numbered.then_some(&self.listed))
    }

    #[inline]
    fn draw(&mut self, state: &State, seat: usize, rng: &mut Rng) -> Result<Option<u32>, Fault> {
        if let Some((steps, choice, memory)) = self.choice_of(state, seat)
            && self.game.ids().has(choice)
        {
            let task = StepTask { task: DRAW, seat: seat as i64, lists: false, rng: Some(&mut *rng) };
            if self.workspace.query(steps.step, memory, task) == Ended::Done {
                return Ok(u32::try_from(self.workspace.answer()).ok());
            }
        }
        let position = self.game.to_position(state);
        let Some(choice) = waits_for(&position, seat).filter(|choice| self.game.ids().has(*choice)) else {
            return Ok(None);
        };
        match Engine::draw_legal(&self.game.machine, &position, seat, rng)? {
            Some(chosen) => Ok(self.game.ids().id(choice, &chosen)),
            None => Err(no_move(&self.game.machine, choice)),
        }
    }

    #[inline]
    fn make(&mut self, state: &mut State, seat: usize, id: u32) -> Result<bool, Fault> {
        Ok(self.make_move(state, (seat, id), false, None)? != MadeBy::Not)
    }

    fn chance(&mut self, state: &mut State, rng: &mut Rng) -> Result<bool, Fault> {
        let due = self.turn(state) == Turn::Chance;
        let machine = &self.game.machine;
        while self.turn(state) == Turn::Chance {
            match self.run(state, -1, StepRequest { task: CHANCE, lists: false }, Some(&mut *rng)) {
                Ended::Done => {}
                Ended::SideExit => self.run_in_reference(state, 0, |position| machine.run(position))?,
                Ended::BailedOut | Ended::Refused => {
                    self.run_in_reference(state, 0, |position| {
                        play_stop(machine, position, rng, &mut |_| {})
                    })?;
                }
            }
        }
        Ok(due)
    }

    fn resolve_draw(&mut self, state: &mut State, drawn: &DrawOutcome) -> Result<(), Fault> {
        let machine = &self.game.machine;
        // Draws of these kinds take one number below the number of outcomes, which is chosen here.
        if let Some(ChanceKind::Value(..) | ChanceKind::Draw(..)) =
            machine.chance_at(self.game.pc(state)).map(|chance| &chance.kind)
        {
            let mut rng = Rng::giving(drawn.rank, drawn.of);
            match self.run(state, -1, StepRequest { task: OUTCOME, lists: false }, Some(&mut rng)) {
                Ended::Done => return Ok(()),
                Ended::SideExit => return self.run_in_reference(state, 0, |position| machine.run(position)),
                Ended::BailedOut | Ended::Refused => {}
            }
        }
        self.run_in_reference(state, 0, |position| machine.draw(position, drawn.value.clone())).map(drop)
    }

    #[inline]
    fn step(&mut self, state: &mut State, id: u32, rng: &mut Rng) -> Result<Option<&[u32]>, Fault> {
        let count = self.step_and_append(state, id, rng, 0)?;
        Ok(count.map(|count| self.workspace.ids(0, count)))
    }

    #[inline]
    fn sample(&mut self, state: &mut State, rng: &mut Rng) -> Result<Option<u32>, Fault> {
        if self.is_choice(state) {
            let ended = self.run(state, -1, StepRequest { task: SAMPLE, lists: false }, Some(&mut *rng));
            let id = u32::try_from(self.workspace.answer()).ok();
            match ended {
                Ended::Done => return Ok(id),
                Ended::SideExit => {
                    self.after_side_exit(state, rng)?;
                    return Ok(id);
                }
                Ended::BailedOut | Ended::Refused => {}
            }
        }
        let Some(seat) = self.turn(state).seat() else { return Ok(None) };
        let position = self.game.to_position(state);
        let (machine, choice) = (&self.game.machine, waits_for(&position, seat));
        let Some(chosen) = Engine::draw_legal(machine, &position, seat, rng)? else {
            return Err(no_move(machine, choice.unwrap_or(0)));
        };
        let id =
            choice.filter(|choice| self.ids().has(*choice)).and_then(|choice| self.ids().id(choice, &chosen));
        self.run_in_reference(state, 1, |position| machine.choose(position, seat, chosen))?;
        self.chance(state, rng)?;
        Ok(id)
    }

    fn legal(&mut self, state: &State, seat: usize) -> Result<Vec<Chosen>, Fault> {
        match self.turn(state) {
            Turn::Choice { seats, .. } if seat < 64 && seats >> seat & 1 == 1 => {
                Engine::legal(self.game, state, seat, true)
            }
            _ => Ok(Vec::new()),
        }
    }

    fn draw_legal(&mut self, state: &State, seat: usize, rng: &mut Rng) -> Result<Option<Chosen>, Fault> {
        if let Some((_, choice, _)) = self.choice_of(state, seat)
            && let Some(id) = self.draw(state, seat, rng)?
        {
            return Ok(self.game.ids().chosen(choice, id));
        }
        match self.turn(state) {
            Turn::Choice { seats, .. } if seat < 64 && seats >> seat & 1 == 1 => {
                Engine::draw_legal(self.game, state, seat, rng)
            }
            _ => Ok(None),
        }
    }

    fn choose(&mut self, state: &mut State, seat: usize, chosen: Chosen) -> Result<(), Fault> {
        Engine::choose(self.game, state, seat, chosen)
    }

    fn leave_out_points(&mut self) -> bool {
        let without = Identity::without_points(&self.game.machine);
        let can = without.is_some();
        if can {
            (self.identity, self.lasting) = (without, None);
        }
        can
    }

    fn lasting_key(&mut self, state: &State, key: &mut Vec<u64>) {
        if let (State::Flat(memory), Some((flat, _))) = (state, self.code)
            && codec::turn(memory) != Turn::Over
            && let Some(keys) = self.keys()
        {
            keys.write(&flat.layout, memory, key);
            return;
        }
        let identity = self.identity.get_or_insert_with(|| Identity::of(&self.game.machine));
        key.clear();
        // Distinguishes the key from that of a flat position, which never begins with such a word.
        key.push(u64::MAX);
        key.extend(identity.lasting_words(&self.game.to_position(state)));
    }

    fn view_key(&mut self, state: &State, seat: Option<usize>, key: &mut Vec<u64>) {
        let machine = &self.game.machine;
        let views = self.views.get_or_insert_with(|| {
            let seats = (0..machine.setup.players).map(Some).chain([None]);
            let seen = seats.map(|seat| seen_cells(machine, seat));
            seen.map(|seen| {
                let keys = self.code.map(|(flat, _)| ViewKeys::new(&flat.layout, &seen));
                (seen, keys)
            })
            .collect()
        });
        let (seen, keys) = &views[seat.unwrap_or(machine.setup.players)];
        match (state, keys, self.code) {
            (State::Flat(memory), Some(keys), Some((flat, _))) => keys.write(&flat.layout, memory, key),
            _ => {
                view_words(seen, &self.game.to_position(state), key);
                // Distinguishes the key from that of a flat position, as that of a lasting key.
                key.insert(0, u64::MAX - 1);
            }
        }
    }

    fn lasting_key_words(&mut self) -> Option<usize> {
        self.keys()?.words()
    }

    fn list_all(&mut self, states: &[State]) -> Result<Listed<'_>, Fault> {
        self.ends.clear();
        let mut end = 0;
        while self.ends.len() < states.len() {
            let from = self.ends.len();
            if let Some((_, steps)) = self.code.filter(|(_, steps)| !steps.data.interpreter.asks()) {
                let memories = states[from..].iter().map_while(|state| match state {
                    State::Flat(memory) if matches!(codec::turn(memory), Turn::Choice { seats: 1.., .. }) => {
                        Some(memory)
                    }
                    _ => None,
                });
                self.workspace.lists_ids(end);
                self.workspace.query_each(steps.step, memories, LIST);
                for nth in 0..self.workspace.current_item() {
                    let Ok(count) = usize::try_from(self.workspace.answer_of(nth)) else { break };
                    end += count;
                    self.ends.push(end);
                }
            }
            // This position cannot be handled by code.
            if let Some(state) = states.get(self.ends.len()) {
                end += self.append_list(state, end)?.unwrap_or(0);
                self.ends.push(end);
            }
        }
        Ok(Listed::new(self.workspace.ids(0, end), &self.ends))
    }

    fn step_all(&mut self, states: &mut [State], ids: &[u32], rngs: &mut [Rng]) -> Result<Listed<'_>, Fault> {
        let count = states.len().min(ids.len()).min(rngs.len());
        self.ends.clear();
        let mut end = 0;
        while self.ends.len() < count {
            let from = self.ends.len();
            self.workspace.lists_ids(end);
            let request = |at: usize| StepRequest { task: i64::from(ids[from + at]), lists: true };
            let (done, ended) = self.run_each(&mut states[from..count], &mut rngs[from..count], request);
            for nth in 0..done {
                let at = self.ends.len();
                end += match usize::try_from(self.workspace.answer_of(nth)) {
                    Ok(count) => count,
                    // Code could not make this list: insert it between its neighbours.
                    Err(_) => self.insert_list(&states[at], end)?,
                };
                self.ends.push(end);
            }
            let at = self.ends.len();
            if at == count {
                break;
            }
            // This position could not be handled by code, or not completely.
            let listed = if ended == Ended::SideExit {
                self.after_side_exit(&mut states[at], &mut rngs[at])?;
                self.append_list(&states[at], end)?
            } else {
                self.step_and_append(&mut states[at], ids[at], &mut rngs[at], end)?
            };
            end += listed.unwrap_or(0);
            self.ends.push(end);
        }
        Ok(Listed::new(self.workspace.ids(0, end), &self.ends))
    }

    fn sample_all(
        &mut self,
        states: &mut [State],
        rngs: &mut [Rng],
        ids: &mut Vec<u32>,
    ) -> Result<(), Fault> {
        let count = states.len().min(rngs.len());
        ids.clear();
        while ids.len() < count {
            let from = ids.len();
            let request = |_| StepRequest { task: SAMPLE, lists: false };
            let (done, ended) = self.run_each(&mut states[from..count], &mut rngs[from..count], request);
            ids.extend((0..done).map(|nth| u32::try_from(self.workspace.answer_of(nth)).unwrap_or(u32::MAX)));
            let at = ids.len();
            if at == count {
                break;
            }
            let id = if ended == Ended::SideExit {
                let id = u32::try_from(self.workspace.answer_of(done)).ok();
                self.after_side_exit(&mut states[at], &mut rngs[at])?;
                id
            } else {
                self.sample(&mut states[at], &mut rngs[at])?
            };
            ids.push(id.unwrap_or(u32::MAX));
        }
        Ok(())
    }
}
