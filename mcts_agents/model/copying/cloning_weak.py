"""How weak references, and containers of them, are copied.

They refer to the copies of what they refer to. What nobody else in the environment
holds is copied too, and goes as soon as the copy is made.
"""

import weakref
from typing import Any

from mcts_agents.model.copying.copier import Copier


def copy_reference(cloner: Copier, value: weakref.ref) -> weakref.ref:
    """Refer to the copy of what is referred to, with a copy of the callback.

    A callback that copies share is left out: it would be called whenever a copy goes,
    and can change nothing but what lies outside the environment.
    """
    target = value()
    if target is None:
        return value
    twin, callback = cloner.clone(target), cloner.clone(value.__callback__)
    if callback is value.__callback__:
        return weakref.ref(twin)
    known = cloner.known(value)  # both may lead back to the reference
    if known is not None:
        return known
    return cloner.remember(value, weakref.ref(twin, callback))


def copy_method(cloner: Copier, value: weakref.WeakMethod) -> weakref.WeakMethod:
    """Refer to the method of the copy of its object."""
    target = value()
    if target is None:
        return value
    return cloner.remember(value, weakref.WeakMethod(cloner.clone(target)))


def copy_proxy(cloner: Copier, value: Any) -> Any:
    """Stand for the copy of what a proxy stands for."""
    try:
        target = value.__reduce_ex__.__self__
    except ReferenceError:  # it is gone
        return value
    return cloner.remember(value, weakref.proxy(cloner.clone(target)))


def copy_set(cloner: Copier, value: weakref.WeakSet) -> weakref.WeakSet:
    """Hold the copies weakly."""
    twin = cloner.remember(value, type(value)())
    for item in list(value):
        twin.add(cloner.clone(item))
    return twin


def copy_table(cloner: Copier, value: Any) -> Any:
    """Hold the copies of keys or of values weakly."""
    twin = cloner.remember(value, type(value)())
    for key, item in list(value.items()):
        twin[cloner.clone(key)] = cloner.part(value, key, item)
    return twin


HANDLERS = {
    weakref.ref: copy_reference,
    weakref.WeakMethod: copy_method,
    weakref.ProxyType: copy_proxy,
    weakref.CallableProxyType: copy_proxy,
    weakref.WeakSet: copy_set,
    weakref.WeakKeyDictionary: copy_table,
    weakref.WeakValueDictionary: copy_table,
}
