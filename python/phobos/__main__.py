"""python -m phobos: the compiler's command line."""

import sys

from .cli import main

sys.exit(main())
