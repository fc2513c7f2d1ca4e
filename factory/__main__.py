"""`python -m factory` is the same as `factory`."""

from factory.cli import main

if __name__ == "__main__":
    main()
