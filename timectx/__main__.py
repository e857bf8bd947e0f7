"""Run the command line as ``python -m timectx``."""

from timectx.cli import main

if __name__ == "__main__":
    main(prog_name="timectx")
