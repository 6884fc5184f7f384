"""Reading a tree: text, rules, dot and pictures."""
