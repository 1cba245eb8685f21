"""Views of environments for learners; empty so far.

Gymnasium environments that give one learner a seat in a game will live here.
"""
