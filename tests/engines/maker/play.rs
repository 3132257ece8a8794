//! The play section: loops of every kind around choices, simultaneous choices, chance and effects.

use super::form::{Form, Var};
use super::stmt::Around;
use super::{Maker, May, Offered};

impl Maker {
    pub(super) fn play(&mut self) {
        let may = self.may;
        self.may = May { me: false, secret: true, score: true, ..may };
        // State that is reset at each iteration refers to the loop `round`.
        let round = self.text.contains("each round");
        self.block("play", "", |this| {
            if this.chance(20) {
                this.standing();
            }
            if this.chance(40) {
                this.effects(Around::Play, 2);
            }
            if this.chance(30) {
                this.luck();
            }
            for at in 0..1 + this.below(2) {
                if at == 0 && round {
                    let passes = this.between(1, 3);
                    this.block(&format!("repeat {passes} as round"), "", |this| {
                        this.locals.push(Var::new("round", Form::Int));
                        this.stage(2);
                        if this.chance(50) {
                            this.effects(Around::Play, 2);
                        }
                    });
                } else {
                    this.stage(2);
                }
            }
            if this.chance(30) {
                this.effects(Around::Play, 2);
            }
        });
        self.may = may;
    }

    fn standing(&mut self) {
        let (cond, n) = (self.truth(2), self.int(2));
        match self.chance(60) {
            true => self.line(&format!("end when {cond} and ({n}) mod 7 = 3")),
            false => {
                let who = self.player(1);
                self.line(&format!("win {who} when {cond} and ({n}) mod 11 = 5"));
            }
        }
    }

    /// Writes something that asks for choices.
    fn stage(&mut self, depth: usize) {
        match self.below(10) {
            0..=4 => self.turns(depth),
            5 if depth > 0 => {
                let name = self.name("pa");
                let passes = self.between(1, 4);
                let until = if self.chance(40) { format!(" until {}", self.truth(2)) } else { String::new() };
                self.block(&format!("repeat {passes} as {name}"), &until, |this| {
                    this.locals.push(Var::new(&name, Form::Int));
                    this.stage(depth - 1);
                });
            }
            6 if depth > 0 => {
                let name = self.name("ph");
                self.block(&format!("phase {name}"), "", |this| {
                    if this.chance(30) {
                        this.standing();
                    }
                    this.stage(depth - 1);
                });
            }
            7 => {
                let name = self.name("as");
                self.block(&format!("each {name} in players"), "", |this| {
                    this.locals.push(Var::new(&name, Form::Player));
                    if this.chance(30) {
                        this.luck();
                    }
                    let choices = this.choices(true);
                    this.line(&format!("ask {name} to {choices}"));
                });
            }
            8 => {
                let (name, domain) = (self.name("cy"), self.pick(&["players", "seat(2).others", "1..4"]));
                let limit = self.name("pa");
                self.block(&format!("repeat 9 as {limit}"), "", |this| {
                    this.locals.push(Var::new(&limit, Form::Int));
                    let cond = this.truth(2);
                    let filter = if this.chance(50) {
                        format!(" where {cond} or {name} = {name}")
                    } else {
                        String::new()
                    };
                    let until = format!("{} = 1 or some(st in 1..2: {})", this.int(1), this.truth(1));
                    this.block(&format!("cycle {name} in {domain}{filter} until {until}"), "", |this| {
                        let form = if domain == "1..4" { Form::Int } else { Form::Player };
                        this.locals.push(Var::new(&name, form.clone()));
                        let choices = this.choices(true);
                        let who = if form == Form::Int { format!("seat({name})") } else { name.clone() };
                        this.line(&format!("ask {who} to {choices}"));
                    });
                });
            }
            _ if !self.joint.is_empty() => self.together(),
            _ => self.turns(depth),
        }
    }

    fn together(&mut self) {
        let who = self.pick(&["players", "players", "standing", "[seat(1), seat(2)]", "seat(2).others"]);
        let joint = self.joint.clone();
        let first = self.offers(&joint, 2);
        let otherwise = if self.chance(85) { " else pass" } else { "" };
        self.line(&format!("together {who} {{ {first}{otherwise} }}"));
    }

    fn offers(&mut self, from: &[Offered], most: usize) -> String {
        let mut names = Vec::new();
        for _ in 0..1 + self.below(most) {
            let offered = self.pick(from);
            let given: Vec<String> = offered.given.iter().map(|form| self.expr(form, 1)).collect();
            let given = if given.is_empty() { String::new() } else { format!("({})", given.join(", ")) };
            if !names.iter().any(|name: &String| name.starts_with(&offered.name)) {
                names.push(format!("{}{given}", offered.name));
            }
        }
        names.join(" or ")
    }

    fn choices(&mut self, always: bool) -> String {
        let moves = self.moves.clone();
        let first = self.offers(&moves, 3);
        match self.chance(if always { 95 } else { 50 }) {
            true => format!("{first} else pass"),
            false => first,
        }
    }

    fn turns(&mut self, depth: usize) {
        let name = self.name("tu");
        let by = match self.below(8) {
            0 => " by seat(2).others",
            1 => " by [seat(1), seat(2), seat(1)]",
            _ => "",
        };
        let from = if by.is_empty() && self.chance(20) { " from seat(2)" } else { "" };
        let stuck = self.pick(&["", "", " until stuck", " skipping stuck", " dropping stuck"]);
        let before = match self.chance(15) && stuck != " until stuck" {
            true => format!(" until {} and {} = 0", self.truth(1), self.int(1)),
            false => String::new(),
        };
        let passes = self.between(2, 14);
        let after = match self.chance(30) {
            true => format!(" until {name} >= {passes} or {}", self.truth(1)),
            false => format!(" until {name} >= {passes}"),
        };
        let head = format!("turns{by}{from} as {name}{before}{stuck}");
        self.block(&head, &after, |this| {
            this.locals.push(Var::new(&name, Form::Int));
            this.may.me = true;
            if this.chance(15) {
                this.standing();
            }
            if this.chance(25) {
                this.luck();
            }
            let choices = this.choices(stuck.is_empty());
            this.line(&choices);
            if this.chance(40) {
                this.effects(Around::Play, 2);
            }
            if depth > 0 && this.chance(15) {
                let moves = this.moves.clone();
                let offer = this.offers(&moves, 2);
                this.line(&format!("ask me.next to {offer} else pass"));
            }
            this.may.me = false;
        });
    }
}
