//! The ids of moves in compiled code: converted from and to arguments.

use crate::engine::{Block as Numbers, rank_of};
use crate::eval::Dom;
use crate::jit::builder::value::{List, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::shape::{Scalar, is_consecutive};
use crate::jit::layout::slots::words_of;

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
    /// Rows of distinct consecutive integers.
    Arrangement {
        /// The length of a row.
        size: i64,
        /// How many integers there are to choose from.
        n: i64,
        /// The first of those integers.
        first: i64,
    },
}

impl Builder<'_> {
    /// Returns how the arguments of a move are computed from its ids.
    pub(in crate::jit) fn rank_codecs_of(&self, numbers: &Numbers) -> Result<Vec<RankCodec>> {
        let codec = |(dom, count): &(Dom, u32)| {
            Some(RankCodec { count: i64::from(*count), kind: self.kind_of(dom)? })
        };
        match numbers.params.iter().map(codec).collect() {
            Some(codecs) => Ok(codecs),
            None => unsupported("a move whose numbers code cannot find"),
        }
    }

    fn kind_of(&self, dom: &Dom) -> Option<RankMap> {
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
            Dom::Arrangements(size, of) => {
                let Dom::Range(low, high) = &**of else { return None };
                let (low, high) = ends(low, high)?;
                Some(RankMap::Arrangement { size: i64::try_from(*size).ok()?, n: high - low + 1, first: low })
            }
            _ => None,
        }
    }

    /// Computes the arguments of the given rank among those of their move.
    pub(in crate::jit) fn args_at(&mut self, rank: V, codecs: &[RankCodec]) -> Result<Vec<Val>> {
        let mut rest = rank;
        let mut args = Vec::new();
        for (i, codec) in codecs.iter().enumerate().rev() {
            let own = match i {
                0 => rest,
                _ => {
                    let up = self.b.ins().udiv_imm_s(rest, codec.count);
                    let below = self.b.ins().imul_imm_s(up, codec.count);
                    let own = self.b.ins().isub(rest, below);
                    rest = up;
                    own
                }
            };
            args.push(match &codec.kind {
                RankMap::Consecutive(of) => {
                    let v = self.b.ins().iadd_imm_s(own, of.lo);
                    Val::Word(Word { v, s: *of, known: None })
                }
                RankMap::Listed(of, words) => {
                    let place = self.static_entry(words.clone(), own, 1);
                    Val::Word(Word { v: self.load64(place, 0), s: *of, known: None })
                }
                RankMap::Arrangement { size, n, first } => {
                    let bytes = self.int(size * 8);
                    let at = self.scratch(bytes);
                    let [n_v, size_v, first_v] = [*n, *size, *first].map(|word| self.int(word));
                    self.call("arrangement_at", &[n_v, size_v, first_v, own, at])?;
                    let of = Scalar::int(*first, (first + n - 1).max(*first));
                    Val::List(List::immutable(at, size_v, of, Some(*size)))
                }
            });
        }
        args.reverse();
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
            (RankMap::Arrangement { size, n, first }, val @ (Val::List(_) | Val::Span(..))) => {
                let list = self.immutable_list(val)?;
                let [n, size, first] = [*n, *size, *first].map(|word| self.int(word));
                self.call("arrangement_rank", &[n, size, first, list.at])
            }
            _ => unsupported("an argument that has no number"),
        }
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
