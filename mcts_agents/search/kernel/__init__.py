"""The compiled iteration and all that it calls, one algorithm a file.

Selection and expansion stand in `descent`, the loop around them in `iterations`, what
they work on in `records`.
"""
