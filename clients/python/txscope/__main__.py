"""Runs one request of a race: a pickled function, whose result is printed."""

import base64
import pickle
import sys

result = pickle.loads(base64.b64decode(sys.argv[1]))()
if result is not None:
    print(result)
