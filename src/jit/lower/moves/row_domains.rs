//! Domains of rows in code: described to the helpers by a few words, counted, and unranked.

use crate::eval::{Dom, Env, Fault, ScalarConditions, table};
use crate::ir::{Domain, Expr, MoveId, Param, Slot, Type, Value};
use crate::jit::analysis::accesses::Accesses;
use crate::jit::analysis::invariants;
use crate::jit::builder::value::{List, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::position::small;
use crate::jit::layout::shape::{NONE, Scalar};
use crate::jit::layout::slots::words_of;
use crate::jit::lower::expr::precomputed::Digits;
use crate::jit::lower::moves::row_set::RowDomain;
use crate::jit::mir::{Block, IntCC, Variable};
use crate::jit::runtime::questions::{Encoding, QuestionKind, RowSource};
use crate::jit::runtime::ranks::{
    ARRANGEMENTS, DESCRIPTOR, ITEMS, LISTS, LISTS_FROM, PERMUTATIONS, RANGE, SUBSETS, SUBSETS_FROM, TABLE,
    TUPLES,
};
use crate::opt::Candidate;

/// What the rows of a domain are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowKind {
    /// Single values.
    Word(Scalar),
    /// Lists.
    List(Scalar),
    /// Sets.
    Set(Scalar),
    /// Tuples.
    Tuple(Vec<Scalar>),
}

impl Builder<'_> {
    /// Describes a domain of rows of words: returns the descriptor's address, which is known if the domain is, and what the rows
    /// are; `None` for other domains.
    pub(in crate::jit) fn ranked(
        &mut self,
        domain: &Domain,
        window: Option<(Word, Word)>,
    ) -> Result<Option<(Word, RowKind)>> {
        let Some((words, kind)) = self.descriptor(domain, window)? else { return Ok(None) };
        Ok(Some((self.address_of(&words), kind)))
    }

    /// Stores words in static data if they are known, or else in scratch memory, and returns their address.
    fn address_of(&mut self, words: &[Word]) -> Word {
        match words.iter().map(|word| word.known).collect::<Option<Vec<i64>>>() {
            Some(known) => self.static_row_word(known),
            None => {
                let words: Vec<V> = words.iter().map(|word| word.v).collect();
                Word { v: self.keep_words(&words), s: Scalar::any_int(), known: None }
            }
        }
    }

    /// Returns the words that describe a domain, and what its rows are.
    fn descriptor(
        &mut self,
        domain: &Domain,
        window: Option<(Word, Word)>,
    ) -> Result<Option<(Vec<Word>, RowKind)>> {
        let (sort, words, kind) = match domain {
            Domain::Ints | Domain::AtLeast(_) | Domain::Range(..) => {
                let (low, high) = match (domain, window) {
                    (Domain::Range(low, high), _) => (self.number_of(low)?, self.number_of(high)?),
                    (Domain::AtLeast(low), Some(window)) => {
                        let low = self.number_of(low)?;
                        self.window_from(low, window)
                    }
                    (_, Some(window)) => window,
                    (_, None) => return Ok(None),
                };
                let count = self.span_len(low, high);
                let known = low.known.zip(high.known).map(|(low, high)| (high - low + 1).max(0));
                let count = Word { v: count, s: Scalar::any_int(), known };
                (RANGE, vec![low, count], RowKind::Word(Scalar { hi: high.s.hi.max(low.s.lo), ..low.s }))
            }
            Domain::Values(e) => {
                let Some((items, of)) = self.row_items(e, true)? else { return Ok(None) };
                (ITEMS, items.to_vec(), RowKind::Word(of))
            }
            Domain::Permutations(e) => {
                let Some((items, of)) = self.row_items(e, false)? else { return Ok(None) };
                (PERMUTATIONS, items.to_vec(), RowKind::List(of))
            }
            Domain::Arrangements(size, of) | Domain::Lists(size, of) => {
                let size = self.number_of(size)?;
                self.must_fit(size, 0, 1 << 12);
                let Some((of, RowKind::Word(s))) = self.ranked(of, window)? else { return Ok(None) };
                let sort = if let Domain::Lists(..) = domain { LISTS } else { ARRANGEMENTS };
                (sort, vec![size, of], RowKind::List(s))
            }
            Domain::ListsFrom(least, Some(most), of) => {
                let (least, most) = (self.number_of(least)?, self.number_of(most)?);
                [least, most].into_iter().for_each(|size| self.must_fit(size, 0, 1 << 12));
                let Some((of, RowKind::Word(s))) = self.ranked(of, window)? else { return Ok(None) };
                (LISTS_FROM, vec![most, of, least], RowKind::List(s))
            }
            Domain::Subsets(of, size) => {
                let Some(([at, len], of)) = self.row_items(of, true)? else { return Ok(None) };
                let size = match size {
                    Some(size) => {
                        let size = self.number_of(size)?;
                        self.must_fit(size, 0, 1 << 40);
                        size
                    }
                    None => self.known(-1, Scalar::any_int()),
                };
                (SUBSETS, vec![at, len, size], RowKind::Set(of))
            }
            Domain::SubsetsFrom(least, most, of) => {
                let Some(([at, len], of)) = self.row_items(of, true)? else { return Ok(None) };
                let least = self.number_of(least)?;
                let most = match most {
                    Some(most) => self.number_of(most)?,
                    None => len,
                };
                (SUBSETS_FROM, vec![at, len, least, most], RowKind::Set(of))
            }
            Domain::ListsFrom(_, None, _) | Domain::Where(..) => return Ok(None),
            Domain::Tuples(parts) => {
                let (mut all, mut of) = (Vec::new(), Vec::new());
                for part in parts {
                    let Some((words, RowKind::Word(s))) = self.descriptor(part, window)? else {
                        return Ok(None);
                    };
                    all.extend(words);
                    of.push(s);
                }
                let count = self.known(parts.len() as i64, Scalar::any_int());
                (TUPLES, vec![count, self.address_of(&all)], RowKind::Tuple(of))
            }
        };
        let mut words = [vec![self.known(sort, Scalar::any_int())], words].concat();
        let unused = self.known(0, Scalar::any_int());
        words.resize(DESCRIPTOR as usize, unused);
        Ok(Some((words, kind)))
    }

    /// Returns the address and the number of the elements of a collection, ascending and if `distinct` each once, and their
    /// domain; `None` if they are not single values.
    fn row_items(&mut self, e: &Expr, distinct: bool) -> Result<Option<([Word; 2], Scalar)>> {
        if let Some(known) = self.constant(e) {
            let mut values = crate::eval::elements(&known);
            values.sort();
            if distinct {
                values.dedup();
            }
            let words = words_of(&values, self.layout.squares);
            if let Some((words, of)) = words.filter(|(words, _)| words.is_sorted()) {
                let len = self.known(words.len() as i64, Scalar::any_int());
                return Ok(Some(([self.static_row_word(words), len], of)));
            }
        }
        let list = match (distinct, self.expr(e)?) {
            (true, Val::List(list)) if matches!(e.ty, Type::Set(_)) && !list.is_of_kept() => list,
            (true, val) => match self.distinct_elements(val)? {
                Some(list) => list,
                None => return Ok(None),
            },
            (false, Val::Opaque(_)) => return Ok(None),
            (false, val) => {
                let list = self.unordered_list(val)?;
                self.sorted(list)?
            }
        };
        let word = |v: V| Word { v, s: Scalar::any_int(), known: None };
        Ok(Some(([list.at, list.len].map(word), list.of)))
    }

    /// Returns the rows of the chosen parameter in a slot, as far as the reference counts them by their
    /// condition; `None` if it does not.
    pub(in crate::jit) fn chosen_rows(&mut self, slot: Slot) -> Result<Option<(V, RowDomain)>> {
        let (mv, written) = (self.current_move, self.source_machine);
        let params = &written.game.moves[mv].params;
        let mut chosen = params.iter().filter(|param| param.domain.is_some()).enumerate();
        let Some((at, param)) = chosen.find(|(_, param)| param.slot == slot) else { return Ok(None) };
        if !written.counts_rows(mv, at).0 {
            return Ok(None);
        }
        let Some(conditions) = written.drawing_conditions(mv, at) else { return Ok(None) };
        let Some((count, rows)) = self.drawn_rows((mv, at), &conditions, param)? else { return Ok(None) };
        let (no, none) = (self.block(), self.int(0));
        let count_or_none = self.var(none);
        for condition in &conditions.preconditions {
            self.all_hold_or(std::slice::from_ref(*condition), no)?;
        }
        self.b.def_var(count_or_none, count);
        self.jump(no);
        self.switch_to(no);
        Ok(Some((self.b.use_var(count_or_none), rows)))
    }

    /// Does the same whether or not the preconditions hold.
    fn drawn_rows(
        &mut self,
        (mv, at): (MoveId, usize),
        conditions: &ScalarConditions,
        param: &Param,
    ) -> Result<Option<(V, RowDomain)>> {
        let accesses = Accesses::of_scalar_rows(self.source_machine, conditions, param);
        if let Some(known) =
            self.unchanging_rows(&accesses, &param.ty, |env, frame| env.rows_to_draw_from(mv, at, frame))
        {
            return Ok(Some(known));
        }
        if let Some(counted) = self.counted_choices((mv, at), &accesses, param)? {
            return Ok(Some(counted));
        }
        self.rows_in_table(RowSource::Chosen(mv, at), accesses, &param.ty).map(Some)
    }

    /// Returns the legal rows of a chosen parameter, given the earlier ones, as the reference counts them. With
    /// `early`, may jump there instead as soon as there is a legal row.
    pub(in crate::jit) fn legal_choices(
        &mut self,
        param: &Candidate,
        early: Option<Block>,
    ) -> Result<(V, RowDomain)> {
        let (mv, written) = (self.current_move, self.source_machine);
        let mut chosen = written.game.moves[mv].params.iter().filter(|param| param.domain.is_some());
        let Some((at, own)) = chosen.by_ref().enumerate().find(|(_, own)| own.slot == param.slot) else {
            return unsupported("rows of a parameter that is not chosen");
        };
        let accesses = Accesses::of_legal_rows(written, mv, at, own);
        if let Some(known) =
            self.unchanging_rows(&accesses, &own.ty, |env, frame| env.legal_rows(mv, at, frame))
        {
            return Ok(known);
        }
        if let Some(tried) = self.tried_legal((mv, at), &accesses, own, early)? {
            return Ok(tried);
        }
        self.rows_in_table(RowSource::Legal(mv, at), accesses, &own.ty)
    }

    /// Returns the rows of a chosen parameter that depend on nothing but a few values in slots, such as on who chooses, as static
    /// data for each of these; `None` if they depend on more or are too many.
    fn unchanging_rows(
        &mut self,
        accesses: &Accesses,
        ty: &Type,
        rows: impl Fn(&Env, &mut Vec<Value>) -> Result<Option<Dom>, Fault>,
    ) -> Option<(V, RowDomain)> {
        const MOST_CASES: i64 = 16;
        const MOST_ROWS: usize = 1 << 14;
        let mut cases = Digits::default();
        for slot in accesses.slots_read().into_iter().filter(|slot| !self.is_known(*slot)) {
            let Some(Val::Word(word)) = self.locals.bound.get(&slot) else { return None };
            cases.push(slot, *word);
        }
        if !accesses.is_unchanging(&|_| true) || cases.rows() > MOST_CASES {
            return None;
        }
        let (mut all, mut places) = (Vec::new(), Vec::new());
        let (before, mut most) = (self.cost, self.cost);
        for number in 0..cases.rows() {
            let mut frame = self.known_frame_up_to(self.machine.game.slots);
            cases.fill_frame(number, &mut frame, self.layout.squares);
            let (dom, steps) = self.source_machine.ask_counted(self.blank, |env| rows(env, &mut frame));
            // The reference counts them at each choice.
            most = most.max(before.saturating_add(steps));
            let own = invariants::few_elements(&dom.ok()??)?;
            places.extend([all.len() as i64 * 8, own.len() as i64]);
            all.extend(own);
        }
        self.cost = most;
        if cases.is_empty() {
            return self.known_rows(&all, ty);
        }
        let (words, of) = self.keep_known(&all, ty).filter(|_| all.len() <= MOST_ROWS)?;
        let index = self.row_number(&cases);
        let place = self.load_entry(places, index, 2);
        let first = self.static_row(words);
        let at = self.b.ins().iadd(first, place[0]);
        let list = List::immutable(at, place[1], self.kept_scalar(&of), Some(all.len() as i64));
        Some((place[1], RowDomain::Listed(list)))
    }

    /// Returns what the rows of a type are; `None` if their elements are not single values.
    pub(in crate::jit) fn kind_of_rows(&self, ty: &Type) -> Option<RowKind> {
        let scalar = |ty: &Type| self.type_scalar(ty);
        Some(match ty {
            Type::List(of) => RowKind::List(scalar(of)?),
            Type::Set(of) => RowKind::Set(scalar(of)?),
            Type::Tuple(parts) => RowKind::Tuple(parts.iter().map(scalar).collect::<Option<_>>()?),
            _ => return None,
        })
    }

    /// Asks the reference for a table of rows, which it caches by what they depend on. `ty` is the type of a
    /// row.
    pub(in crate::jit) fn rows_in_table(
        &mut self,
        rows: RowSource,
        accesses: Accesses,
        ty: &Type,
    ) -> Result<(V, RowDomain)> {
        let kind = match (ty, self.kind_of_rows(ty)) {
            (_, Some(kind)) => kind,
            (Type::List(_) | Type::Set(_) | Type::Tuple(_), None) => {
                return unsupported("rows of large values");
            }
            _ => return unsupported("a choice among single values that fulfil a condition"),
        };
        let table = self.ask_for_table(rows, accesses, &kind, &[])?;
        let (count, at) = self.described_table(table)?;
        Ok((count, RowDomain::Descriptor(at, kind)))
    }

    /// Asks for a table of rows whose elements have the sorts of `kind`, with more words that are passed last. Returns its address,
    /// which is 0 if there is none for an optional question. What depends on a few single values alone is asked only once for each
    /// case.
    pub(in crate::jit) fn ask_for_table(
        &mut self,
        rows: RowSource,
        accesses: Accesses,
        kind: &RowKind,
        last: &[V],
    ) -> Result<V> {
        let words = self.words_of_source(&rows)?;
        let by_words = words.is_some();
        let mut inputs = words.clone();
        for slot in accesses.slots_read() {
            let val = self.local(slot)?;
            let word = self.word(val).ok();
            inputs = inputs.zip(word).map(|(inputs, word)| [inputs, vec![word]].concat());
        }
        let sort = match kind {
            RowKind::List(of) | RowKind::Set(of) => Some(of.sort),
            RowKind::Tuple(_) | RowKind::Word(_) => None,
        };
        let function = format!("{:?} of {sort:?}", rows.made());
        let given = words.iter().flatten().map(|word| word.v).chain(last.iter().copied()).collect::<Vec<V>>();
        let ask = |this: &mut Self| -> Result<Val> {
            let (kind, outputs) = (QuestionKind::Rows(rows, sort), vec![Encoding::number(); 2]);
            let words = this.ask_in_words(kind, accesses, outputs, &given, by_words)?;
            Ok(Val::List(List::immutable(words[0], words[1], Scalar::any_int(), None)))
        };
        let table = match inputs {
            Some(inputs) => self.kept_by((function, &Type::List(Box::new(Type::Int))), &inputs, ask)?,
            None => ask(self)?,
        };
        self.list(table).map(|table| table.at)
    }

    /// Returns the words that rows depend on besides local values; `None` if these are not known beforehand.
    fn words_of_source(&mut self, rows: &RowSource) -> Result<Option<Vec<Word>>> {
        let source = self.source_machine;
        let conditions = match rows.made() {
            RowSource::Chosen(mv, at) => source.drawing_conditions(*mv, *at),
            RowSource::Legal(mv, at) => source.scalar_conditions(*mv, *at).filter(|scalars| scalars.all),
            RowSource::IfWorthMaking(_) | RowSource::Domain(_) => None,
        };
        conditions.map_or(Ok(None), |conditions| self.words_of_inputs(&conditions))
    }

    /// Takes a table of rows, if to make one is worth the time, into variables for its number of rows and the address of its
    /// descriptor, and jumps to `end`; falls through if there is none. Without it, `tested` rows are tested.
    pub(in crate::jit) fn take_table_if_worth_making(
        &mut self,
        (rows, tested): (RowSource, V),
        accesses: Accesses,
        kind: &RowKind,
        vars: (Variable, Variable),
        end: Block,
    ) -> Result<()> {
        let source = RowSource::IfWorthMaking(Box::new(rows));
        let table = self.ask_for_table(source, accesses, kind, &[tested])?;
        let (known, unknown) = (self.block(), self.block());
        self.branch_on(table, known, unknown);
        self.switch_to(known);
        self.take_rows(table, vars, end)?;
        self.switch_to(unknown);
        Ok(())
    }

    /// Takes a table of rows that is asked for into such variables, and jumps to `end`.
    pub(in crate::jit) fn take_table(
        &mut self,
        rows: RowSource,
        accesses: Accesses,
        kind: &RowKind,
        vars: (Variable, Variable),
        end: Block,
    ) -> Result<()> {
        let table = self.ask_for_table(rows, accesses, kind, &[])?;
        self.take_rows(table, vars, end)
    }

    fn take_rows(&mut self, table: V, (count, descriptor): (Variable, Variable), end: Block) -> Result<()> {
        let (found, at) = self.described_table(table)?;
        self.b.def_var(count, found);
        self.b.def_var(descriptor, at);
        self.jump(end);
        Ok(())
    }

    /// Returns the number of rows of the table at an address, and the address of its descriptor.
    fn described_table(&mut self, table: V) -> Result<(V, V)> {
        let longest = self.load64(table, table::LONGEST as i32 * 8);
        let room = self.int(DESCRIPTOR * 8);
        let at = self.scratch(room);
        let sort = self.int(TABLE);
        for (i, word) in [sort, longest, longest, table].into_iter().enumerate() {
            self.store64(word, at, i as i32 * 8);
        }
        Ok((self.ranked_count(at)?, at))
    }

    /// Returns the distinct elements of a collection in order; `None` if they are not single values.
    pub(in crate::jit) fn distinct_elements(&mut self, val: Val) -> Result<Option<List>> {
        let list = match val {
            Val::Opaque(_) | Val::Pool { .. } => return Ok(None),
            val @ (Val::Bits(_) | Val::Members(_) | Val::Span(..)) => return Ok(Some(self.list(val)?)),
            val @ (Val::Keyed { .. } | Val::MemoryBits { .. } | Val::Counts { .. }) => {
                self.elements_in_memory(val)?
            }
            val => {
                let list = self.unordered_list(val)?;
                self.sorted(list)?
            }
        };
        let len = self.call("distinct", &[list.at, list.len])?;
        Ok(Some(List { len, exact: None, ..list }))
    }

    /// Returns the number of rows of a described domain.
    pub(in crate::jit) fn ranked_count(&mut self, descriptor: V) -> Result<V> {
        let count = self.call("rows", &[descriptor])?;
        let many = self.cmp_imm(IntCC::Equal, count, NONE);
        self.bail_out_if(many);
        Ok(count)
    }

    /// Returns the row of a described domain with the given rank.
    pub(in crate::jit) fn ranked_row(&mut self, descriptor: V, kind: &RowKind, rank: V) -> Result<Val> {
        let len = match kind {
            RowKind::Word(_) => return unsupported("a row of one"),
            RowKind::Tuple(of) => self.int(of.len() as i64),
            // The descriptor contains the length of the rows.
            RowKind::List(_) => {
                let sort = self.load64(descriptor, 0);
                let orders = self.cmp_imm(IntCC::Equal, sort, PERMUTATIONS);
                let (items, size) = (self.load64(descriptor, 16), self.load64(descriptor, 8));
                self.b.ins().select(orders, items, size)
            }
            RowKind::Set(_) => self.load64(descriptor, 16),
        };
        let bytes = self.b.ins().ishl_imm_s(len, 3);
        let at = self.scratch(bytes);
        let count = self.call("ranked_row", &[descriptor, rank, at])?;
        self.row_in_memory((at, count), kind)
    }

    /// Returns a row whose words stand at an address.
    pub(in crate::jit) fn row_in_memory(&mut self, (at, count): (V, V), kind: &RowKind) -> Result<Val> {
        Ok(match kind {
            RowKind::Tuple(of) => {
                let part = |(i, s): (usize, &Scalar)| {
                    let v = self.load64(at, i as i32 * 8);
                    Val::Word(Word { v, s: *s, known: None })
                };
                Val::Tuple(of.iter().enumerate().map(part).collect())
            }
            RowKind::Set(of) if small(*of) => {
                self.bits(Val::List(List::immutable(at, count, *of, None)), *of).map(Val::Bits)?
            }
            RowKind::Set(of) | RowKind::List(of) | RowKind::Word(of) => {
                Val::List(List::immutable(at, count, *of, None))
            }
        })
    }

    /// Describes a domain of rows and counts it; `None` if it cannot be described.
    pub(in crate::jit) fn described_rows(
        &mut self,
        domain: &Domain,
        window: Option<(Word, Word)>,
    ) -> Result<Option<(V, RowDomain)>> {
        match self.ranked(domain, window)? {
            None | Some((_, RowKind::Word(_))) => Ok(None),
            Some((descriptor, kind)) => {
                Ok(Some((self.ranked_count(descriptor.v)?, RowDomain::Descriptor(descriptor.v, kind))))
            }
        }
    }
}
