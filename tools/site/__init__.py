"""The documentation site: `python -m tools.site` turns docs/ into build/site (`make docs` does its set-up too).

contents.py     docs/index.md, which is the table of contents -> sections of pages
reference.py    the public names of the package, in groups -> one page for each
gallery.py      docs/gallery/*.py, small scripts that draw -> pictures and a page for each
links.py        an extension of Sphinx: names in code become links
__main__.py     puts all of it into build/docs and has Sphinx make HTML of it

Only __main__.py and links.py need Sphinx; tests read the others.
"""
