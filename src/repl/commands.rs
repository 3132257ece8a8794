//! The commands: their names, arguments and actions; abbreviations, suggestions and help.

use std::collections::BTreeMap;

use super::screen::StepReport;
use super::table::ALL_STEPS;
use super::{Reply, Session, choices, history, screen, words};
use crate::bots::Bot;
use crate::diag::nearest;
use crate::play::{
    Entry, Match, SheetFormat, Viewer, bundled_source, entry_told, sheet_with, usage, why_over,
};

/// A command as described in the help.
#[derive(Debug)]
pub struct Command {
    /// Its name, typed after a colon.
    pub name: &'static str,
    /// The arguments it takes.
    pub args: &'static str,
    /// What it does.
    pub help: &'static str,
}

const fn command(name: &'static str, args: &'static str, help: &'static str) -> Command {
    Command { name, args, help }
}

/// All commands, in the order of the full help.
pub const COMMANDS: &[Command] = &[
    command("games", "", "list the bundled games"),
    command("game", "NAME or FILE", "choose a game to play"),
    command("set", "NAME=VALUE...", "set options, or show them"),
    command("players", "N", "set the number of players"),
    command("seed", "N", "set the random seed for chance and bots"),
    command("seat", "N hard", "seat `easy`, `casual`, `medium`, `hard` or a `person`"),
    command("name", "N NAME", "name a player, as in `:name 1 Ann`, or list the names"),
    command("new", "NAME", "start a new match, of another game if it is named"),
    command("moves", "", "list the moves you can play (so does an empty line)"),
    command("hint", "", "suggest a good move, and say why"),
    command("analyse", "all", "say what each move is worth, or each of `all`"),
    command("verdict", "on or off", "say who stands better, once or after each move"),
    command("tutor", "on or off", "warn before a move that costs much is made"),
    command("show", "", "show the table and the points; `*` marks what has changed"),
    command("state", "", "show everything that is public"),
    command("look", "SEAT", "show what only that player may see"),
    command("points", "", "show the points"),
    command("history", "", "list what has been played, and what short tables showed"),
    command("undo", "N", "take back one step, N, or `all`, with bots' replies"),
    command("redo", "N", "redo one step, N, or `all`"),
    command("why", "MOVE or score", "explain why a move is legal, or where points come from"),
    command("rule", "NAME", "show the text of a rule, or list the names"),
    command("rules", "", "show the rules as a sheet"),
    command("reload", "", "read the rule file again and replay the match under it"),
    command("edit", "", "open the rule file in an editor, then `:reload`"),
    command("watch", "", "`:reload` each time the rule file is saved"),
    command("save", "FILE", "write the match to a file"),
    command("load", "FILE", "continue the match in a file"),
    command("replay", "FILE", "step through a record, or through this match"),
    command("review", "", "find the turning points, and what would have been better"),
    command("resume", "NAME or N", "continue the latest match, that of a game, or a saved one"),
    command("matches", "NAME or N", "list the saved matches, those of a game, or show one"),
    command("delete", "NAME", "delete a saved match"),
    command("go", "", "let the bots continue"),
    command("help", "COMMAND", "show this list, `all` commands, or one command"),
    command("quit", "", "leave; the match is saved"),
];

/// What `:help COMMAND` says beyond the line in the list.
const DETAILS: &[(&str, &str)] = &[
    (
        "show",
        "What the last choice changed, and what followed from it, is marked: squares stand in brackets, and values in rows and \
         columns have a `*` behind them.",
    ),
    (
        "hint",
        "A search thinks for two seconds about the choice of the person who is to move, knowing only what that player may know. \
         It says how the move fares against the next best, what it brings or prevents at once, and what others are expected to \
         answer. Ctrl-C makes it answer with what it has found so far.",
    ),
    (
        "analyse",
        "The list has, for each move, what share of the win it gets if all go on well, the range that this lies in \
         in 19 of 20 cases, and how often the search tried it. Where the rest of the match was worked out, it says how the match \
         ends instead. Only the best moves are listed unless you ask for `all`. Where moves are best varied, since others choose at the same time or must not foresee them, it says how \
         often to make each. The expected line is how the match goes on if all play their best.",
    ),
    (
        "verdict",
        "The shares are those of the win that each player can expect under good play; those who are level have about the same. \
         `:verdict on` says it after each move, from a shorter search; `:verdict off` stops that. Where something is hidden, only \
         a single person at the table is told, from what that player knows.",
    ),
    (
        "tutor",
        "A move that costs at least a twentieth of the win, by more than chance explains, is not made at once: you are told what \
         it would get instead of what the best move gets, but not which that is. `y` or the same move again makes it all the same; \
         another move is made instead. `:hint` says what is better.",
    ),
    (
        "review",
        "Each choice is judged by what the player knew then. The curve shows how the players stood before each step; a turning point \
         is a choice after which its player could expect at least a twentieth of the win less than after the best, by more than \
         chance explains. `parlour review FILE` does the same for a saved match, and `--html FILE` draws a page.",
    ),
    (
        "replay",
        "At each step, `a` says what each move is worth there, from what its player knew then, `m` plays a variation, `c` comments, \
         and `p` plays on from there as a new match. Line by line, for screen readers, these are `analyse` and `hint`, `play MOVE`, \
         `comment TEXT` and `continue`. As long as something is hidden, there are neither advice nor variations.",
    ),
    (
        "seat",
        "`easy` looks one move ahead and overlooks some moves; `casual` searches a little; `medium` searches more; `hard` thinks for two seconds and plays \
         the rest of the match exactly where it can be worked out. `mcts:2000` gives a search a number of playouts, `tree:2000` one that looks for no proof, `random` plays \
         any move, and `person` gives the seat back to somebody at the table. `:seat 1 hard, 2 person` changes several at once, as \
         to change sides.",
    ),
];

/// The commands needed during a match, in the order of the help; `:help all` also describes the others.
const AT_HAND: &[&str] = &[
    "moves", "hint", "show", "points", "why", "rules", "history", "undo", "redo", "replay", "seat", "set",
    "new", "game", "help", "quit",
];

/// Other names for commands.
const ALIASES: &[(&str, &str)] = &[
    ("scores", "points"),
    ("score", "points"),
    ("table", "show"),
    ("board", "show"),
    ("exit", "quit"),
    ("bye", "quit"),
    ("leave", "quit"),
    ("open", "game"),
    ("play", "game"),
    ("analyze", "analyse"),
    ("options", "set"),
    ("back", "undo"),
    ("takeback", "undo"),
    ("eval", "analyse"),
    ("evaluate", "analyse"),
    ("evaluation", "analyse"),
    ("best", "hint"),
    ("tip", "hint"),
    ("import", "load"),
    ("coach", "tutor"),
    ("teacher", "tutor"),
    ("abort", "quit"),
    ("restart", "new"),
    ("commands", "help"),
    ("?", "help"),
];

/// What to say about words of other programs that play: nothing here does that.
const NOT_HERE: &[(&[&str], &str)] = &[
    (
        &["draw", "drawoffer"],
        "no rule lets anybody offer a draw; `:quit` leaves, `:new` begins another match",
    ),
    (&["clock", "time", "timer"], "there is no clock: everybody takes as long as they like"),
    (&["flip", "rotate"], "the table is always shown from the same side"),
    (&["double"], "nothing is staked here; `:new` begins another match"),
];

/// Says why something that people know from other programs is not to be had here.
pub fn not_here(word: &str) -> Option<String> {
    if matches!(word, "resign" | "concede" | "surrender" | "forfeit") {
        return Some(format!("no rule lets anybody {word}; `:quit` leaves, `:new` begins another match"));
    }
    NOT_HERE.iter().find(|(words, _)| words.contains(&word)).map(|(_, says)| says.to_string())
}

/// Finds the command with this name or alias.
pub fn called(word: &str) -> Option<&'static Command> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == word).map(|(_, name)| *name);
    COMMANDS.iter().find(|command| command.name == alias.unwrap_or(word))
}

/// Returns the names and aliases of all commands.
pub fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.name).chain(ALIASES.iter().map(|(alias, _)| *alias))
}

/// Finds the command with this name, alias or unambiguous abbreviation. The error is a sentence.
pub fn find(word: &str) -> Result<&'static Command, String> {
    if let Some(command) = called(word) {
        return Ok(command);
    }
    let begun: Vec<&Command> = COMMANDS.iter().filter(|command| command.name.starts_with(word)).collect();
    match begun.as_slice() {
        [one] if !word.is_empty() => return Ok(one),
        [] => {}
        many => {
            let names: Vec<String> = many.iter().map(|command| format!("`:{}`", command.name)).collect();
            return Err(match word.is_empty() {
                true => "type a command after the colon; `:help` lists them".to_string(),
                false => format!("`:{word}` could be {}", names.join(" or ")),
            });
        }
    }
    Err(match nearest(word, names()) {
        _ if let Some(says) = not_here(word) => says,
        Some(near) => format!("no command is called `:{word}`; did you mean `:{near}`?"),
        None => format!("no command is called `:{word}`; `:help` lists them"),
    })
}

impl Session {
    /// Carries out a command, given without its colon.
    pub(super) fn command(&mut self, line: &str) -> Reply {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let command = match find(word) {
            Ok(command) => command,
            Err(sentence) => return Reply::refuse(sentence),
        };
        if command.args.is_empty() && !rest.is_empty() {
            return Reply::refuse(format!("`:{}` takes no argument, but got `{rest}`", command.name));
        }
        match command.name {
            "help" => self.help(rest),
            "quit" => Reply { quit: true, ..Reply::default() },
            "games" => self.games(),
            "game" => self.another(rest, false),
            "set" => self.set(rest),
            "players" => self.players(rest),
            "seed" => self.reseed(rest),
            "seat" => self.seat(rest),
            "new" if rest.is_empty() => {
                let left = self.saved_for_later();
                self.new_match().after(left)
            }
            "new" => self.another(rest, true),
            "load" => self.load(rest),
            "replay" => self.replay(rest),
            "resume" => self.resume(rest),
            "matches" => self.matches(rest),
            "delete" => self.delete(rest),
            "edit" => self.edit(),
            "watch" => self.watch(),
            "reload" if self.failed.is_some() => self.reload(),
            "rules" if self.rules_asked_about().is_some() => self.sheet(),
            _ if self.table.is_none() => Reply::refuse(self.no_game_message()),
            "moves" => self.line(""),
            "look" => self.look(rest),
            "name" => self.name(rest),
            "undo" => self.undo(rest),
            "redo" => self.redo(rest),
            "why" => self.why(rest),
            "rule" => self.rule(rest),
            "reload" => self.reload(),
            "save" => self.save(rest),
            "go" => self.go(),
            "hint" => self.hint(),
            "analyse" => self.analyse(rest),
            "verdict" => self.verdict(rest),
            "tutor" => self.tutor(rest),
            "review" => self.review(),
            "rules" => self.sheet(),
            name => self.shown(name),
        }
    }

    /// Lays out a game, and says how to go back to the match that it replaces. Whoever sits at the table may stay there.
    fn another(&mut self, name: &str, same_table: bool) -> Reply {
        let left = self.saved_for_later();
        // Whoever was asked questions before the first match is asked again.
        let ask =
            self.asks && !name.is_empty() && self.table.as_ref().is_some_and(|table| table.played.over());
        if ask {
            return self.ask_about(name);
        }
        self.game_for(name, same_table).after(left.filter(|_| !name.is_empty()))
    }

    /// Says how to go back to the match on the table, if it has begun and is not over.
    pub(super) fn saved_for_later(&self) -> Option<String> {
        let table = self.table.as_ref().filter(|table| table.begun() && !table.played.over())?;
        let (title, name) = (&table.rules.game.title, table.stored_name.as_ref()?);
        Some(format!("the match of {title} is saved; `:resume {name}` continues it"))
    }

    /// Runs the commands that only show something about the match.
    fn shown(&self, name: &str) -> Reply {
        let Some(table) = &self.table else { return Reply::refuse(self.no_game_message()) };
        let played = &table.played;
        // The points are shown separately.
        let over = || if played.over() { words::verdict(played) } else { String::new() };
        match name {
            "show" => Reply::say(screen::join(vec![
                screen::table(played, self.screen()),
                screen::points_beside_table(played),
                over(),
            ])),
            "state" => Reply::say(screen::state(played, Viewer::Spectator, self.screen())),
            "history" => {
                let end = if played.over() { why_over(played) } else { Vec::new() };
                let account = history::account(played, table.reader(), self.screen(), false);
                Reply::say(screen::join([vec![account], end, vec![over()]].concat()))
            }
            _ => match played.scores() {
                Ok(Some(_)) => Reply::say(screen::join(vec![screen::points(played), over()])),
                Ok(None) => Reply::say("this game has no points; `:why score` says what decides it"),
                Err(fault) => {
                    Reply::refuse(format!("the points cannot be counted: {}", played.broken(&fault).message))
                }
            },
        }
    }

    /// Shows the rules of the game that questions are being asked about, or of the one on the table. What is
    /// not settled yet is described with its default.
    fn sheet(&self) -> Reply {
        let unsettled = BTreeMap::new();
        let (rules, options, seats) = match (self.rules_asked_about(), &self.table) {
            (Some(rules), _) => (rules, &unsettled, None),
            (None, Some(table)) => (&table.rules, &table.opening.options, Some(table.opening.players)),
            (None, None) => return Reply::refuse(self.no_game_message()),
        };
        let format = match self.screen().plain {
            true => SheetFormat::Words(self.style.width),
            false => SheetFormat::Plain(self.style.width),
        };
        // A bundled game is called by its name, another by its path as it was given.
        let is_bundled = bundled_source(&rules.name).is_some_and(|bundled| bundled.name == rules.source.name);
        let game = if is_bundled { &rules.name } else { &rules.source.name };
        let game = if game.contains(char::is_whitespace) { format!("'{game}'") } else { game.clone() };
        let too_long = format!(
            "(scroll up to read it from the beginning; `parlour rules {game} | less` shows it page by page)"
        );
        Reply { too_long: Some(too_long), ..Reply::say(sheet_with(rules, options, seats, format)) }
    }

    fn help(&self, word: &str) -> Reply {
        let width = self.style.width;
        let all = word == "all";
        if !word.is_empty() && !all {
            return match find(word.trim_start_matches(':')) {
                Ok(command) => {
                    let details = DETAILS.iter().find(|(name, _)| *name == command.name);
                    let details = details.map(|(_, text)| words::folded_around(text, 2, width));
                    let lines = [format!("{}\n  {}", head(command), command.help)].into_iter().chain(details);
                    Reply::say(lines.collect::<Vec<_>>().join("\n"))
                }
                // A move is explained by its rule.
                Err(_) if self.is_move(word) => self.rule(word),
                Err(sentence) => Reply::refuse(sentence),
            };
        }
        let example = self.example();
        let alone = self.table.as_ref().is_some_and(|table| table.played.players() == 1);
        let for_others = match &example {
            Some(example) if !alone => format!("`2: {example}` plays for player 2; "),
            _ => String::new(),
        };
        let example = example.map_or(String::new(), |example| format!(", as in `{example}`,"));
        let mut lines = vec![words::folded(
            &format!(
                "type a move{example} or a command; an empty line shows what can be played; \
                 {for_others}commands can be shortened, and need the colon only where the game uses the same word"
            ),
            0,
            width,
        )];
        let column = COMMANDS.iter().map(|command| head(command).len()).max().unwrap_or(0) + 2;
        let listed: Vec<&Command> = match all {
            true => COMMANDS.iter().collect(),
            false => AT_HAND.iter().filter_map(|name| called(name)).collect(),
        };
        for command in listed {
            lines.push(match width >= column + 40 {
                true => format!("{:<column$}{}", head(command), command.help),
                false => format!("{}\n{}", head(command), words::folded(command.help, 4, width)),
            });
        }
        if !all {
            let others = COMMANDS.iter().filter(|command| !AT_HAND.contains(&command.name));
            let others: Vec<String> = others.map(|command| format!(":{}", command.name)).collect();
            let more = format!("also {}: `:help all` says what they do", others.join(", "));
            lines.push(words::folded(&more, 0, width));
        }
        Reply::say(lines.join("\n"))
    }

    /// Returns an example of a move as it is typed. Without a game it is one of Procession's. `None` if nobody is to
    /// move.
    fn example(&self) -> Option<String> {
        let next = self.table.as_ref().and_then(|table| Some((&table.played, table.next_seat()?)));
        let open = next.filter(|(_, seat)| self.private_seat(*seat).is_none() && !self.hidden_by_bot(*seat));
        // Its form says nothing of what is legal.
        let form = || {
            next.and_then(|(played, seat)| {
                Some(usage(&played.rules.game, played.offered_to(seat).into_iter().next()?))
            })
        };
        let example = open.and_then(|(played, seat)| choices::example(played, seat)).or_else(form);
        let without_game = || self.table.is_none().then(|| "flip 4".to_string());
        example.map(|text| text.trim_matches('`').to_string()).or_else(without_game)
    }

    /// Whether the game on the table has a move of this name.
    fn is_move(&self, word: &str) -> bool {
        let moves = self.table.as_ref().map(|table| &table.rules.game.moves);
        moves.is_some_and(|moves| moves.iter().any(|mv| mv.name == word))
    }

    /// Shows what only one player may see.
    fn look(&self, who: &str) -> Reply {
        let Some(table) = &self.table else { return Reply::refuse(self.no_game_message()) };
        let played = &table.played;
        let seat = match who {
            "" => table.next_person().or_else(|| table.people().first().copied()),
            who => {
                super::session::read_player(played, who).filter(|seat| (1..=played.players()).contains(seat))
            }
        };
        let Some(seat) = seat else {
            return Reply::refuse(format!("there is no player `{who}`; there are {}", played.players()));
        };
        let name = table.rules.game.seat_name(seat - 1);
        let own = match who {
            "" => screen::own(played, seat, self.screen()),
            _ => screen::owned(played, seat, &format!("{name}'s"), self.screen()),
        };
        let has_sealed = played.sealed().iter().any(|entry| entry.player == seat);
        match own.is_empty() {
            empty if table.bots.contains_key(&seat) && (has_sealed || !empty) => Reply::refuse(format!(
                "a bot plays {}, and only the bot may see that",
                words::seats(&table.rules.game, &[seat])
            )),
            true => Reply::say(format!("{name} sees what everybody sees; `:state` shows it")),
            false => Reply::say(own).only_for(table.many_people().then_some(seat)),
        }
    }

    fn undo(&mut self, steps: &str) -> Reply {
        let Some(steps) = read_steps(steps) else {
            return Reply::refuse(format!(
                "`:undo {steps}`: the number of steps must be 1 or more, or `all`"
            ));
        };
        let look = self.screen();
        let Some(table) = &mut self.table else { return Reply::default() };
        match table.undo(steps) {
            Err(0) => Reply::refuse("there is nothing to take back"),
            Err(most) => {
                // A person's step takes back what bots answered.
                let steps = match table.bots.is_empty() {
                    true => words::count(most, "step"),
                    false => format!("{} of people", words::count(most, "move")),
                };
                Reply::refuse(format!("only {steps} can be taken back"))
            }
            Ok(gone) => {
                let told = match gone.is_empty() {
                    true => "took back what was chosen but not yet revealed".to_string(),
                    false => format!("took back {}", few_moves(&table.played, &gone)),
                };
                table.turned.clone_from(&told);
                let shown = vec![
                    told,
                    screen::table(&table.played, look),
                    screen::points_beside_table(&table.played),
                ];
                let text = screen::join(vec![
                    screen::join(shown),
                    self.bots_turn(),
                    self.before_choice(),
                    self.store_match(),
                ]);
                Reply::say(text)
            }
        }
    }

    fn redo(&mut self, steps: &str) -> Reply {
        let Some(steps) = read_steps(steps) else {
            return Reply::refuse(format!(
                "`:redo {steps}`: the number of steps must be 1 or more, or `all`"
            ));
        };
        let look = self.screen();
        let Some(table) = &mut self.table else { return Reply::default() };
        let mut made = StepReport::from(table.played.clone(), look);
        let before = table.played.entries().count();
        match table.redo(steps, &mut |table, before| made.push_step(table, before, true)) {
            Ok(0) => Reply::refuse("there is nothing to redo"),
            Err(refused) => Reply::refuse(format!("this cannot be redone: {}", refused.message)),
            Ok(_) => {
                let again: Vec<Entry> =
                    table.played.entries().skip(before).filter(|entry| entry.player != 0).cloned().collect();
                table.turned = format!("redid {}", few_moves(&table.played, &again));
                let told = self.bots_answer(made);
                Reply::say(screen::join(vec![told, self.before_choice(), self.store_match()]))
            }
        }
    }

    fn go(&mut self) -> Reply {
        let Some(table) = &mut self.table else { return Reply::default() };
        if table.played.over() {
            return Reply::refuse("the match is over; `:new` begins another, `:undo` goes back");
        }
        table.paused = false;
        let text = screen::join(vec![self.bots_turn(), self.before_choice(), self.store_match()]);
        match text.is_empty() {
            true if self.waits_for_bot() => Reply::say(self.still_thinking()),
            true => Reply::refuse(match self.table.as_ref().filter(|table| table.bots.is_empty()) {
                Some(table) => {
                    let (seat, bot) = (table.played.players(), Bot::Medium);
                    format!("no bot is playing; `:seat {seat} {bot}` adds one")
                }
                None => "it is not a bot's turn".to_string(),
            }),
            false => Reply::say(text),
        }
    }
}

/// Names some moves, or only their number if there are many.
fn few_moves(played: &Match, moves: &[Entry]) -> String {
    const FEW: usize = 3;
    match moves.len() {
        0..=FEW => moves.iter().map(|entry| entry_told(played, entry).words).collect::<Vec<_>>().join("; "),
        many => words::count(many, "move"),
    }
}

fn head(command: &Command) -> String {
    let space = if command.args.is_empty() { "" } else { " " };
    format!(":{}{space}{}", command.name, command.args)
}

/// Parses a number of steps, 1 by default; `all` is [`ALL_STEPS`].
fn read_steps(text: &str) -> Option<usize> {
    match text {
        "" => Some(1),
        "all" => Some(ALL_STEPS),
        text => text.parse().ok().filter(|steps| *steps > 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_that_only_one_has_will_do() {
        assert_eq!(find("und").unwrap().name, "undo");
        assert_eq!(find("game").unwrap().name, "game");
        assert_eq!(find("rule").unwrap().name, "rule");
        assert_eq!(find("scores").unwrap().name, "points");
        assert_eq!(
            find("re").unwrap_err(),
            "`:re` could be `:redo` or `:reload` or `:replay` or `:review` or `:resume`"
        );
        assert_eq!(find("unod").unwrap_err(), "no command is called `:unod`; did you mean `:undo`?");
    }
}
