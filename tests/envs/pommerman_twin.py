"""One step of Pommerman in plain Python, written from the rules text alone.

Slow and literal: the board is painted anew, bombs and flames are lists, the counters
are dictionaries. It shares nothing with the package.
"""

from collections import Counter

import numpy as np

PASSAGE, RIGID, WOOD, BOMB, FLAMES = range(5)
EXTRA_BOMB, RANGE, KICK = 6, 7, 8
ITEMS = (EXTRA_BOMB, RANGE, KICK)
STEPS = {0: (0, 0), 1: (-1, 0), 2: (1, 0), 3: (0, -1), 4: (0, 1)}


def beyond(cell, direction):
    """The next cell in a direction."""
    return cell[0] + STEPS[direction][0], cell[1] + STEPS[direction][1]


class Agent:
    def __init__(self, number, cell, alive=True, ammo=1, blast=2, kick=False):
        self.number, self.cell, self.alive = number, cell, alive
        self.ammo, self.blast, self.kick = ammo, blast, kick


class Bomb:
    def __init__(self, cell, owner, life, blast, direction=0):
        self.cell, self.owner, self.life = cell, owner, life
        self.blast, self.direction = blast, direction


class Twin:
    def __init__(self, board, items, agents, bombs, flames, steps, cap, mode="ffa"):
        self.board = [list(map(int, row)) for row in board]
        self.items = dict(items)
        self.agents, self.bombs = agents, bombs
        self.flames = [list(flame) for flame in flames]  # [cell, life]
        self.steps, self.cap, self.mode = steps, cap, mode

    def on_board(self, cell):
        return 0 <= cell[0] < len(self.board) and 0 <= cell[1] < len(self.board)

    def at(self, cell):
        return self.board[cell[0]][cell[1]]

    def paint(self, cell, code):
        self.board[cell[0]][cell[1]] = code

    def is_free(self, cell, closed):
        return self.on_board(cell) and self.at(cell) not in closed

    def step(self, actions):
        living = [agent for agent in self.agents if agent.alive]
        self.age_flames()
        self.decide(living, actions)
        self.undo_swaps(living)
        self.kicks = {}  # bomb -> agent
        self.agents_at = Counter(self.wish[agent] for agent in living)
        self.bombs_at = Counter(self.goal[bomb] for bomb in self.bombs)
        self.bounce(living)
        if self.meet(living):
            self.bounce_kickers(living)
        self.move(living)
        self.explode(living)
        self.steps += 1

    def age_flames(self):
        remaining = []
        for cell, life in self.flames:
            if life == 0:
                self.paint(cell, self.items.pop(cell, PASSAGE))
            else:
                remaining.append([cell, life - 1])
        self.flames = remaining
        for cell, _ in self.flames:
            self.paint(cell, FLAMES)

    def decide(self, living, actions):
        self.wish, self.goal = {}, {}
        for agent in living:
            action = actions[agent.number]
            self.paint(agent.cell, PASSAGE)
            self.wish[agent] = agent.cell
            if action == 5:
                free = all(bomb.cell != agent.cell for bomb in self.bombs)
                if free and agent.ammo > 0:
                    agent.ammo -= 1
                    laid = Bomb(agent.cell, agent.number, 10, agent.blast)
                    self.bombs.append(laid)
            elif action:
                wanted = beyond(agent.cell, action)
                if self.is_free(wanted, (RIGID, WOOD)):
                    self.wish[agent] = wanted
        for bomb in self.bombs:
            self.paint(bomb.cell, PASSAGE)
            self.goal[bomb] = bomb.cell
            wanted = beyond(bomb.cell, bomb.direction)
            if bomb.direction and self.is_free(wanted, (RIGID, WOOD, *ITEMS)):
                self.goal[bomb] = wanted

    def undo_swaps(self, living):
        claims = {}
        wished = {agent: self.wish[agent] for agent in living}
        for agent in living:
            if wished[agent] == agent.cell:
                continue
            crossed = frozenset((agent.cell, wished[agent]))
            if crossed in claims:
                for both in (agent, claims[crossed]):
                    self.wish[both] = both.cell
            else:
                claims[crossed] = agent
        for bomb in self.bombs:
            if self.goal[bomb] == bomb.cell:
                continue
            crossed = frozenset((bomb.cell, self.goal[bomb]))
            claimant = claims.get(crossed)
            if claimant is None:
                claims[crossed] = bomb
                continue
            self.goal[bomb] = bomb.cell
            if isinstance(claimant, Bomb):
                self.goal[claimant] = claimant.cell

    def agent_back(self, agent):
        self.wish[agent] = agent.cell
        self.agents_at[agent.cell] += 1

    def bomb_back(self, bomb):
        self.goal[bomb] = bomb.cell
        self.bombs_at[bomb.cell] += 1

    def bounce(self, living):
        changed = True
        while changed:
            changed = False
            for agent in living:
                wanted = self.wish[agent]
                meets = self.agents_at[wanted] > 1 or self.bombs_at[wanted] > 1
                if wanted != agent.cell and meets:
                    self.agent_back(agent)
                    changed = True
            for bomb in self.bombs:
                wanted = self.goal[bomb]
                meets = self.agents_at[wanted] > 1 or self.bombs_at[wanted] > 1
                if wanted != bomb.cell and meets:
                    self.bomb_back(bomb)
                    changed = True

    def meet(self, living):
        bomb_notes, agent_notes = [], []
        for bomb in self.bombs:
            place = self.goal[bomb]
            coming = [agent for agent in living if self.wish[agent] == place]
            if self.agents_at[place] == 0 or not coming:
                continue
            agent = coming[0]
            if place == agent.cell:
                if place != bomb.cell:
                    bomb_notes.append((bomb, bomb.cell))
                continue
            direction = next(d for d in range(1, 5) if beyond(agent.cell, d) == place)
            target = beyond(place, direction)
            if (
                agent.kick
                and self.is_free(target, (RIGID, WOOD, *ITEMS))
                and self.agents_at[target] == 0
                and self.bombs_at[target] == 0
            ):
                self.bombs_at[place] = 0
                bomb_notes.append((bomb, target))
                self.kicks[bomb] = agent
                bomb.direction = direction
            else:
                bomb_notes.append((bomb, bomb.cell))
                agent_notes.append(agent)
        for bomb, cell in bomb_notes:
            self.goal[bomb] = cell
            self.bombs_at[cell] += 1
        for agent in agent_notes:
            self.agent_back(agent)
        return bool(bomb_notes or agent_notes)

    def bounce_kickers(self, living):
        changed = True
        while changed:
            changed = False
            for agent in living:
                wanted = self.wish[agent]
                meets = self.agents_at[wanted] > 1 or self.bombs_at[wanted] != 0
                if wanted == agent.cell or not meets:
                    continue
                for bomb in [b for b in self.kicks if self.kicks[b] is agent]:
                    del self.kicks[bomb]
                    self.bomb_back(bomb)
                self.agent_back(agent)
                changed = True
            for bomb in self.bombs:
                wanted = self.goal[bomb]
                if wanted == bomb.cell and bomb not in self.kicks:
                    continue
                if self.bombs_at[wanted] > 1 or self.agents_at[wanted] != 0:
                    self.bomb_back(bomb)
                    if bomb in self.kicks:
                        self.agent_back(self.kicks.pop(bomb))
                    changed = True

    def move(self, living):
        for bomb in self.bombs:
            if self.goal[bomb] == bomb.cell and bomb not in self.kicks:
                bomb.direction = 0
            bomb.cell = self.goal[bomb]
        for agent in living:
            if self.wish[agent] == agent.cell:
                continue
            agent.cell = self.wish[agent]
            item = self.at(agent.cell)
            if item == EXTRA_BOMB:
                agent.ammo = min(agent.ammo + 1, 10)
            elif item == RANGE:
                agent.blast = min(agent.blast + 1, self.cap)
            elif item == KICK:
                agent.kick = True

    def blast_of(self, bomb):
        cells = {bomb.cell}
        for direction in range(1, 5):
            cell = bomb.cell
            for _ in range(bomb.blast - 1):
                cell = beyond(cell, direction)
                if not self.is_free(cell, (RIGID,)):
                    break
                cells.add(cell)
                if self.at(cell) == WOOD:
                    break
        return cells

    def explode(self, living):
        for bomb in self.bombs:
            bomb.life -= 1
        going = [b for b in self.bombs if b.life == 0 or self.at(b.cell) == FLAMES]
        blasted = set()
        while going:
            for bomb in going:
                blasted |= self.blast_of(bomb)
                owner = self.agents[bomb.owner]
                owner.ammo = min(owner.ammo + 1, 10)
                self.bombs.remove(bomb)
            going = [bomb for bomb in self.bombs if bomb.cell in blasted]
        for bomb in self.bombs:
            self.paint(bomb.cell, BOMB)
        self.flames += [[cell, 2] for cell in sorted(blasted)]
        for cell, _ in self.flames:
            self.paint(cell, FLAMES)
        for agent in living:
            if self.at(agent.cell) == FLAMES:
                agent.alive = False
            else:
                self.paint(agent.cell, 10 + agent.number)

    # -- the end

    def alive(self):
        return {agent.number for agent in self.agents if agent.alive}

    def done(self, most_steps=800):
        alive = self.alive()
        if self.steps >= most_steps or len(alive) <= 1:
            return True
        return self.mode == "team" and (alive <= {0, 2} or alive <= {1, 3})

    # -- to compare

    def picture(self):
        """Everything that a state holds, as plain Python values."""
        items = np.zeros((len(self.board), len(self.board)), int)
        for cell, item in self.items.items():
            items[cell] = item
        return {
            "board": self.board,
            "hidden_items": items.tolist(),
            "agent_pos": [list(agent.cell) for agent in self.agents],
            "agent_alive": [int(agent.alive) for agent in self.agents],
            "agent_ammo": [agent.ammo for agent in self.agents],
            "agent_blast": [agent.blast for agent in self.agents],
            "agent_kick": [int(agent.kick) for agent in self.agents],
            "bombs": [
                [*b.cell, b.owner, b.life, b.blast, b.direction] for b in self.bombs
            ],
            "flames": [[*cell, life] for cell, life in self.flames],
            "step_count": self.steps,
        }


def twin_of(position, cap=10, mode="ffa"):
    """A twin at a position as the package reads it (`official.Position`)."""
    places = zip(*np.nonzero(position.hidden_items), strict=True)
    agents = [
        Agent(i, tuple(map(int, cell)), bool(alive), int(ammo), int(blast), bool(kick))
        for i, (cell, alive, ammo, blast, kick) in enumerate(
            zip(
                position.agent_pos,
                position.agent_alive,
                position.agent_ammo,
                position.agent_blast,
                position.agent_kick,
                strict=True,
            )
        )
    ]
    return Twin(
        position.board,
        {(int(r), int(c)): int(position.hidden_items[r, c]) for r, c in places},
        agents,
        [
            Bomb((row, column), owner, life, blast, direction)
            for row, column, owner, life, blast, direction in position.bombs.tolist()
        ],
        [[(row, column), life] for row, column, life in position.flames.tolist()],
        position.step_count,
        cap,
        mode,
    )
