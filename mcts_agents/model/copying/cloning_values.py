"""How containers, random generators and spaces are copied."""

from collections import defaultdict, deque
from typing import Any

import numpy as np
from gymnasium import spaces

from mcts_agents.model.copying.copier import Copier
from mcts_agents.model.copying.dice import fresh, restore, state_of


def copy_list(cloner: Copier, value: list) -> list:
    """Copy a list and what it holds."""
    uncopied = cloner.uncopied
    if uncopied.issuperset(map(type, value)):
        twin = cloner.memo[id(value)] = value.copy()
        return twin
    memo, handlers = cloner.memo, cloner.handlers
    twin = memo[id(value)] = []
    for item in value:
        kind = type(item)
        if kind in uncopied:
            twin.append(item)
        else:
            found = memo.get(id(item))
            twin.append(handlers[kind](cloner, item) if found is None else found)
    return twin


def copy_tuple(cloner: Copier, value: tuple) -> tuple:
    """Copy a tuple; one of numbers and texts is shared."""
    uncopied = cloner.uncopied
    for item in value:
        if type(item) not in uncopied:
            break
    else:
        return value
    twin = tuple([cloner.clone(item) for item in value])
    # What the tuple holds may hold the tuple, which is then copied already.
    known = cloner.memo.get(id(value))
    return cloner.remember(value, twin) if known is None else known


def copy_dict(cloner: Copier, value: dict) -> dict:
    """Copy a dictionary, its keys and values."""
    uncopied, memo, handlers = cloner.uncopied, cloner.memo, cloner.handlers
    twin = memo[id(value)] = value.copy()
    for key, item in value.items():
        if type(key) not in uncopied:
            return _copy_dict_with_objects_as_keys(cloner, value, twin)
        kind = type(item)
        if kind not in uncopied:
            found = memo.get(id(item))
            twin[key] = handlers[kind](cloner, item) if found is None else found
    return twin


def _copy_dict_with_objects_as_keys(cloner: Copier, value: dict, twin: dict) -> dict:
    """Fill `twin`, which was begun, anew: its keys are copies, in the same order."""
    twin.clear()
    clone = cloner.clone
    for key, item in value.items():
        own = clone(key)
        _note_hash(cloner, value, key, own)
        twin[own] = clone(item)
    return twin


def _note_hash(cloner: Copier, owner: Any, key: Any, twin: Any) -> None:
    """Note by which hash a copied key is put where an exact copy keeps it."""
    if cloner.dice is None and twin is not key:
        cloner.hashes.append((owner, twin, hash(twin)))


def copy_defaultdict(cloner: Copier, value: defaultdict) -> defaultdict:
    """Copy a dictionary with defaults, and what makes these."""
    twin = copy_dict(cloner, value)
    twin.default_factory = cloner.part(value, "default_factory", twin.default_factory)
    return twin


def copy_set(cloner: Copier, value: set) -> set:
    """Copy a set and what it holds."""
    # The same history of insertions, as far as it can be had: order matters to loops.
    twin = cloner.remember(value, value.copy())
    if not cloner.uncopied.issuperset(map(type, value)):
        twin.clear()
        for item in value:
            own = cloner.clone(item)
            _note_hash(cloner, value, item, own)
            twin.add(own)
    return twin


def copy_frozenset(cloner: Copier, value: frozenset) -> frozenset:
    """Copy a frozen set and what it holds."""
    return cloner.remember(value, frozenset([cloner.clone(v) for v in value]))


def copy_deque(cloner: Copier, value: deque) -> deque:
    """Copy a deque and what it holds."""
    twin = cloner.remember(value, deque(maxlen=value.maxlen))
    twin.extend([cloner.clone(v) for v in value])
    return twin


def copy_bytearray(cloner: Copier, value: bytearray) -> bytearray:
    """Copy bytes."""
    return cloner.remember(value, bytearray(value))


def copy_generator(cloner: Copier, value: Any) -> Any:
    """Copy a random generator, or make a fresh one of the cloner's dice."""
    if cloner.dice is not None:
        twin = cloner.remember(value, fresh(value, cloner.dice))
        cloner.generators.append(twin)
        return twin
    cloner.generators.append(value)
    if type(value) is np.random.Generator:
        twin = np.random.Generator(cloner.clone(value.bit_generator))
    elif type(value) is np.random.RandomState:
        twin = np.random.RandomState(cloner.clone(value._bit_generator))
        twin.set_state(value.get_state(legacy=False))
    else:
        twin = fresh(value, np.random.default_rng(0))
        restore(twin, state_of(value))
    return cloner.remember(value, twin)


def share_space(cloner: Copier, value: spaces.Space) -> spaces.Space:
    """Note a space: its generator is shared."""
    cloner.spaces.append(value)
    return value
