"""symcache_build.py OBJECT OUT: the index that Sentry's symbolic makes of the first object in a file."""
import sys

import symbolic

cache = next(iter(symbolic.Archive.open(sys.argv[1]).iter_objects())).make_symcache()
with open(sys.argv[2], "wb") as out:
    cache.dump_into(out)
