"""Solves games with Parlour and with OpenSpiel's general solvers, and says how long each takes and whether they agree.

    python3 -m venv venv && venv/bin/pip install open_spiel
    cargo build --release
    venv/bin/python benches/peer_solve.py target/release/parlour --rounds 3

OpenSpiel's solvers are written in Python and go through positions in C++: `minimax_solver` with a table of positions, and
`alpha_beta_search` without one. Times are those of a whole solution on one thread, the program's start included, in turn;
the least of so many rounds counts. No part of the tests.
"""

import argparse
import json
import subprocess
import sys
import time

import pyspiel
from open_spiel.python.algorithms import minimax
from open_spiel.python.algorithms.minimax_solver import MinimaxSolver

# Of each case its game in OpenSpiel, how it is asked for in Parlour, and which of OpenSpiel's solvers end within minutes.
CASES = [
    ("tic_tac_toe", ["tic-tac-toe"], ("with_table", "without_table")),
    ("connect_four(rows=4,columns=4)", ["connect-four", "--set", "rows=4", "--set", "columns=4"], ("with_table", "without_table")),
    ("connect_four(rows=4,columns=5)", ["connect-four", "--set", "rows=4", "--set", "columns=5"], ("without_table",)),
]


def with_table(game):
    """The value to whoever begins, by the solver with a table."""
    table = MinimaxSolver(game).solve()
    return table[str(pyspiel.load_game(game).new_initial_state())].value


def without_table(game):
    """The same by alpha-beta search."""
    value, _ = minimax.alpha_beta_search(pyspiel.load_game(game))
    return value


def own(program, words):
    """The same by `parlour solve`."""
    command = [program, "solve", *words, "--json"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["value"][0]


def timed(work):
    """What work comes to, and in how many seconds."""
    begun = time.perf_counter()
    value = work()
    return value, time.perf_counter() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parlour", help="the program")
    parser.add_argument("--rounds", type=int, default=3, help="how often each solves a game")
    args = parser.parse_args()
    print("| game | value | parlour, s | minimax_solver, s | times as long | alpha_beta_search, s | times as long |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    solvers = {"with_table": with_table, "without_table": without_table}
    for game, words, tried in CASES:
        least = {}
        for _ in range(args.rounds):
            rounds = {"own": timed(lambda: own(args.parlour, words))}
            rounds.update((name, timed(lambda: solvers[name](game))) for name in tried)
            values = {name: float(value) for name, (value, _) in rounds.items()}
            if len(set(values.values())) > 1:
                sys.exit(f"{game}: the solvers disagree: {values}")
            for name, (_, seconds) in rounds.items():
                least[name] = min(least.get(name, seconds), seconds)
        cells = [f"{values['own']:.0f}", f"{least['own']:.3f}"]
        for name in solvers:
            seconds = least.get(name)
            cells += [f"{seconds:.2f}", f"{seconds / least['own']:.0f}"] if seconds else ["", ""]
        print(f"| {game} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
