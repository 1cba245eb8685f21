"""Third-party environments as forward models, stepped in copies.

`copied` holds the model, `faces` how the kinds of environments are seen alike, and
`cloning` makes faithful copies of objects that were never made to be copied.
"""
