"""The lists of all options, which `options.catalog` parses.

One option per line: name, type (`options.values`), default, meaning, and after ``<`` its older names. ``!`` marks
options that cannot change once there is a snapshot (format §3.3), ``@`` those that cannot change once there are rows,
since they determine where rows are stored and how they are read. ``-`` means no default, ``''`` is empty text. An
indented line continues the previous one.
"""
