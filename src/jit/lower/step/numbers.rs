//! The ids of moves in compiled code: converted from and to arguments.

use crate::engine::{Block as Numbers, rank_of};
use crate::eval::Dom;
use crate::ir::{Domain, Expr, ExprKind, Type, Value};
use crate::jit::builder::value::{List, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::shape::{Scalar, is_consecutive};
use crate::jit::layout::slots::words_of;
use crate::jit::lower::moves::row_domains::RowKind;
use crate::jit::mir::IntCC;
use crate::num::Int;
use crate::source::Span;

/// Converts between a parameter's value and its rank.
pub struct RankCodec {
    /// The number of values.
    pub count: i64,
    /// How ranks map to values.
    pub kind: RankMap,
}

/// How ranks map to values.
pub enum RankMap {
    /// Consecutive words, from the scalar's lower bound on.
    Consecutive(Scalar),
    /// These words, ascending, within the scalar's range.
    Listed(Scalar, Vec<i64>),
    /// The rows of a domain, which is described by these words at an address that is known.
    Rows(i64, RowKind),
}

impl Builder<'_> {
    /// Returns how the arguments of a move are computed from its ids.
    pub(in crate::jit) fn rank_codecs_of(&mut self, numbers: &Numbers) -> Result<Vec<RankCodec>> {
        let mut codec = |(dom, count): &(Dom, u32)| {
            Some(RankCodec { count: i64::from(*count), kind: self.kind_of(dom)? })
        };
        match numbers.params.iter().map(&mut codec).collect() {
            Some(codecs) => Ok(codecs),
            None => unsupported("a move whose numbers code cannot find"),
        }
    }

    fn kind_of(&mut self, dom: &Dom) -> Option<RankMap> {
        const MAX_VALUES: i64 = 1 << 16;
        let ends = |low: &crate::num::Int, high: &crate::num::Int| Some((low.as_i64()?, high.as_i64()?));
        match dom {
            Dom::Range(low, high) => {
                let (low, high) = ends(low, high)?;
                Some(RankMap::Consecutive(Scalar::int(low, high.max(low))))
            }
            Dom::Items(items) => {
                let squares = self.layout.squares;
                let (words, of) = words_of(items, squares)?;
                match () {
                    () if of.optional || of.size() > MAX_VALUES => None,
                    () if is_consecutive(&words) => Some(RankMap::Consecutive(of)),
                    () => Some(RankMap::Listed(of, words)),
                }
            }
            dom => {
                let (descriptor, kind) = self.ranked(&written(dom)?, None).ok()??;
                Some(RankMap::Rows(descriptor.known?, kind))
            }
        }
    }

    /// Computes the arguments of the given rank among those of their move.
    pub(in crate::jit) fn args_at(&mut self, rank: V, codecs: &[RankCodec]) -> Result<Vec<Val>> {
        let counts: Vec<V> = codecs.iter().map(|codec| self.int(codec.count)).collect();
        let ranks = self.parts_of_rank(rank, &counts);
        let mut args = Vec::new();
        for (codec, own) in codecs.iter().zip(ranks) {
            args.push(match &codec.kind {
                RankMap::Consecutive(of) => {
                    let v = self.b.ins().iadd_imm_s(own, of.lo);
                    Val::Word(Word { v, s: *of, known: None })
                }
                RankMap::Listed(of, words) => {
                    let place = self.static_entry(words.clone(), own, 1);
                    Val::Word(Word { v: self.load64(place, 0), s: *of, known: None })
                }
                RankMap::Rows(descriptor, kind) => {
                    let descriptor = self.b.ins().static_addr(*descriptor);
                    self.ranked_row(descriptor, kind, own)?
                }
            });
        }
        Ok(args)
    }

    /// Computes the rank of an argument.
    pub(in crate::jit) fn rank(&mut self, codec: &RankCodec, dom: &Dom, arg: Val) -> Result<V> {
        match (&codec.kind, arg) {
            (_, Val::Const(value)) => match rank_of(dom, &value) {
                Some(rank) => Ok(self.int(rank as i64)),
                None => unsupported("an argument that has no number"),
            },
            (RankMap::Consecutive(of), Val::Word(word)) if !word.s.optional => Ok(match of.lo {
                0 => word.v,
                low => self.b.ins().iadd_imm_s(word.v, -low),
            }),
            (RankMap::Listed(of, words), Val::Word(word)) if !word.s.optional => {
                let mut ranks = vec![0; of.size() as usize];
                for (rank, word) in words.iter().enumerate() {
                    ranks[(word - of.lo) as usize] = rank as i64;
                }
                let at = self.b.ins().iadd_imm_s(word.v, -of.lo);
                let place = self.static_entry(ranks, at, 1);
                Ok(self.load64(place, 0))
            }
            (RankMap::Rows(descriptor, kind), val) => {
                let list = match (kind, self.row_parts(&val, kind)) {
                    (RowKind::Tuple(_), Some(words)) => {
                        let len = self.int(words.len() as i64);
                        List::immutable(self.keep_words(&words), len, Scalar::any_int(), None)
                    }
                    _ => {
                        let list = self.list(val)?;
                        self.immutable_list(Val::List(list))?
                    }
                };
                let descriptor = self.b.ins().static_addr(*descriptor);
                let rank = self.call("row_rank", &[descriptor, list.at, list.len])?;
                let missing = self.cmp_imm(IntCC::SignedLessThan, rank, 0);
                self.bail_out_if(missing);
                Ok(rank)
            }
            _ => unsupported("an argument that has no number"),
        }
    }

    /// Returns the words of the parts of a tuple; `None` for other rows.
    fn row_parts(&mut self, row: &Val, kind: &RowKind) -> Option<Vec<V>> {
        let RowKind::Tuple(of) = kind else { return None };
        let parts = self.tuple_parts(row, of.len())?;
        parts.into_iter().map(|part| if let Val::Word(word) = part { Some(word.v) } else { None }).collect()
    }

    /// Computes the id of a move with these arguments. `from` is the first id of the move, or the sum for the
    /// arguments before these.
    pub(in crate::jit) fn number(
        &mut self,
        from: V,
        codecs: &[RankCodec],
        doms: &[(Dom, u32)],
        args: &[Val],
    ) -> Result<V> {
        let mut number = from;
        for (i, ((codec, (dom, _)), arg)) in codecs.iter().zip(doms).zip(args).enumerate() {
            let rank = self.rank(codec, dom, arg.clone())?;
            let stride: i64 = codecs[i + 1..].iter().map(|codec| codec.count).product();
            let more = if stride == 1 { rank } else { self.b.ins().imul_imm_s(rank, stride) };
            number = self.b.ins().iadd(number, more);
        }
        Ok(number)
    }
}

/// Returns a known domain as it would be written; `None` if its values have no numbers in code.
fn written(dom: &Dom) -> Option<Domain> {
    let value = |value: Value, ty: Type| Expr { kind: ExprKind::Value(value), ty, span: Span::default() };
    let int = |n: &Int| value(Value::Int(n.clone()), Type::Int);
    let size = |size: usize| int(&Int::from(size));
    let list = |items: &[Value]| value(Value::list(items.to_vec()), Type::List(Box::new(Type::Never)));
    let inner = |of: &Dom| written(of).map(Box::new);
    Some(match dom {
        Dom::Range(low, high) => Domain::Range(int(low), int(high)),
        Dom::Items(items) if items.is_sorted_by(|a, b| a < b) => Domain::Values(list(items)),
        Dom::Permutations(runs) => {
            let each = runs.iter().flat_map(|(item, times)| std::iter::repeat_n(item.clone(), *times));
            Domain::Permutations(list(&each.collect::<Vec<Value>>()))
        }
        Dom::Arrangements(length, of) => Domain::Arrangements(size(*length), inner(of)?),
        Dom::Lists(length, of) => Domain::Lists(size(*length), inner(of)?),
        Dom::ListsFrom(least, Some(most), of) => {
            Domain::ListsFrom(size(*least), Some(size(*most)), inner(of)?)
        }
        Dom::Subsets(items, of_size) => Domain::Subsets(list(items), of_size.map(size)),
        Dom::SubsetsFrom(least, most, items) => {
            Domain::SubsetsFrom(size(*least), Some(size(*most)), list(items))
        }
        Dom::Tuples(parts) => Domain::Tuples(parts.iter().map(written).collect::<Option<_>>()?),
        _ => return None,
    })
}
