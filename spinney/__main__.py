"""The command `python -m spinney`; see spinney/cli."""

from spinney.cli import main

if __name__ == "__main__":
    main()
