"""Plays Parlour's tree search against OpenSpiel's C++ MCTS at equal time on one core, and says who wins how often.

    python3 -m venv venv && venv/bin/pip install open_spiel
    cargo build --release
    venv/bin/python benches/peer.py target/release/parlour --ms 100 --matches 40

Each match is played by both programs' own rules, move for move: before each choice the legal moves of both must be the same,
and so must the winner be at the end. Matches go both ways round in turn. No part of the tests.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time

import pyspiel


class Engine:
    """`parlour engine`, one line each way."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [program, "engine"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def ask(self, method, **params):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request) + "\n")
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            sys.exit(f"{method} {params}: {answer['error']}")
        return answer["result"]


def column(args, _state):
    """Connect Four: columns from 1; a disc of the mover's sign falls into columns from 0."""
    return str(args["column"] - 1)


def pawn(args, state):
    """Breakthrough: who begins stands on rows 1 and 2, and there on 8 and 7; a capture has a star."""
    there = [square[0] + str(9 - int(square[1:])) for square in (args["from"], args["to"])]
    name = "".join(there)
    return name if name in names(state) else name + "*"


def cell(args, _state):
    """Hex: the same letters for columns and numbers for rows."""
    return args["at"]


# Of each game its name in Parlour, and how the arguments of a move are said in OpenSpiel.
GAMES = {
    "connect_four": ("connect-four", column),
    "breakthrough": ("breakthrough", pawn),
    "hex": ("hex", cell),
}


def names(state):
    """The legal moves of OpenSpiel by their names, without the sign of who drops a disc."""
    legal = {}
    for action in state.legal_actions():
        name = state.action_to_string(state.current_player(), action)
        legal[name[1:] if name[0] in "xo" and name[1:].isdigit() else name] = action
    return legal


def peer(game, ms, seed, uct_c):
    """OpenSpiel's search, with proofs of wins and losses, stopped by the clock alone."""
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.MCTSBot(game, evaluator, uct_c, 2**31 - 1, 2000, True, seed, False, max_wall_clock_time=ms / 1000)


def play(engine, name, ms, seed, first, uct_c):
    """Plays a match in which Parlour begins or not. Gives its share of the win, and the time each took a choice."""
    ours, said = GAMES[name]
    game = pyspiel.load_game(name)
    state, bot = game.new_initial_state(), peer(game, ms, seed + 1, uct_c)
    match = engine.ask("new", game=ours, seed=seed)["match"]
    times = {True: [], False: []}
    playouts = []
    while not state.is_terminal():
        seat = state.current_player()
        legal = engine.ask("legal", match=match, player=seat + 1, limit=100_000)["moves"]
        actions = names(state)
        moves = {said(move["args"], state): move for move in legal}
        if set(moves) != set(actions) or len(moves) != len(legal):
            sys.exit(f"{name}: the legal moves differ at\n{state}\n{sorted(set(moves) ^ set(actions))}")
        begun, mine = time.monotonic(), (seat == 0) == first
        if mine:
            advice = engine.ask("advise", match=match, player=seat + 1, bot="mcts", ms=ms, seed=seed)
            chosen = said(advice["args"], state)
            playouts.append(advice["playouts"])
        else:
            action = bot.step(state)
            chosen = next(name for name, other in actions.items() if other == action)
        times[mine].append(time.monotonic() - begun)
        move = moves[chosen]
        engine.ask("play", match=match, player=seat + 1, move=move["move"], args=move["args"])
        state.apply_action(actions[chosen])
    result = engine.ask("result", match=match)
    returns = state.returns()
    winners = [seat + 1 for seat in (0, 1) if returns[seat] > 0]
    if not result["over"] or result["winners"] != winners:
        sys.exit(f"{name}: the winners differ, {result} and {returns}, at\n{state}")
    engine.ask("close", match=match)
    share = 0.5 + 0.5 * returns[0 if first else 1]
    return share, times, playouts


def wilson(mean, count):
    """E. B. Wilson's interval (1927), with 19 chances in 20."""
    z = 1.96
    middle = mean + z * z / (2 * count)
    half = z * math.sqrt(mean * (1 - mean) / count + z * z / (4 * count * count))
    whole = 1 + z * z / count
    return (middle - half) / whole, (middle + half) / whole


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the binary of parlour")
    parser.add_argument("--games", nargs="+", choices=list(GAMES), default=list(GAMES))
    parser.add_argument("--ms", type=int, default=100, help="milliseconds a choice")
    parser.add_argument("--matches", type=int, default=40, help="of each game; an even number")
    parser.add_argument("--uct-c", type=float, default=2.0, help="OpenSpiel's constant, of its own examples")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if args.matches < 2 or args.matches % 2 or args.ms < 1:
        parser.error("--matches is an even number, for each begins equally often, and --ms is 1 or more")
    # One core for both: they think in turn.
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    engine = Engine(args.program)
    print(f"{args.ms} ms a choice, one core, against OpenSpiel's MCTSBot with uct_c {args.uct_c:g}, solve\n")
    print("| game | matches | won | drawn | lost | share | between | ms a choice, Parlour | OpenSpiel | playouts, Parlour |")
    print("| --- |" + " ---: |" * 9)
    for name in args.games:
        shares, spent, playouts = [], {True: [], False: []}, []
        for number in range(args.matches):
            seed = args.seed + 1000 * number
            share, times, made = play(engine, name, args.ms, seed, number % 2 == 0, args.uct_c)
            shares.append(share)
            playouts += made
            for mine in times:
                spent[mine] += times[mine]
            print(f"\r{name} {number + 1} of {args.matches}, {sum(shares):g} won", end="", file=sys.stderr)
        print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
        mean = sum(shares) / len(shares)
        low, high = wilson(mean, len(shares))
        ms = [1000 * sum(spent[mine]) / len(spent[mine]) for mine in (True, False)]
        counts = [shares.count(share) for share in (1.0, 0.5, 0.0)]
        print(
            f"| {name} | {len(shares)} | {counts[0]} | {counts[1]} | {counts[2]} | {mean:.3f} | {low:.3f}..{high:.3f}"
            f" | {ms[0]:.0f} | {ms[1]:.0f} | {sum(playouts) / len(playouts):.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
