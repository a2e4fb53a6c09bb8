"""Requests that run in threads of the test's own process.

`txscope race` starts commands; here each is a small process that only says
which request it stands for and where the database is now, waits, and prints
what the thread returned.
"""

import json
import os
import socket
import sys
import threading
import traceback


class Relay:
    """Runs a request in a thread whenever its command is started."""

    def __init__(self, place, requests):
        self._path = os.path.join(place, "threads")
        self._requests = list(requests)
        self._listener = None
        self.commands = [[sys.executable, "-m", "txscope._threads", self._path, str(number)]
                         for number in range(len(self._requests))]

    def __enter__(self):
        if self._requests:
            self._listener = socket.socket(socket.AF_UNIX)
            self._listener.bind(self._path)
            self._listener.listen()
            threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *ignored):
        if self._listener is not None:
            # A thread that waits in accept() does not notice a close().
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()

    def _serve(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._run, args=(client,), daemon=True).start()

    def _run(self, client):
        with client, client.makefile("rw", encoding="utf-8") as stream:
            asked = json.loads(stream.readline())
            answer = {"status": 0, "printed": None, "complaint": ""}
            try:
                answer["printed"] = self._requests[asked["number"]](asked["address"])
            except BaseException:  # as a command would end
                answer = {"status": 1, "printed": None, "complaint": traceback.format_exc()}
            if answer["printed"] is not None:
                answer["printed"] = str(answer["printed"])
            try:
                stream.write(json.dumps(answer) + "\n")
                stream.flush()
            except OSError:
                pass  # the run was given up, and its command with it


def stand_for(path, number):
    """The command: stands for a thread of the process that listens there."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        with connection.makefile("rw", encoding="utf-8") as stream:
            stream.write(json.dumps({"number": int(number),
                                     "address": os.environ.get("DATABASE_URL", "")}) + "\n")
            stream.flush()
            answer = json.loads(stream.readline())
    if answer["printed"] is not None:
        print(answer["printed"])
    sys.stderr.write(answer["complaint"])
    return answer["status"]


if __name__ == "__main__":
    sys.exit(stand_for(sys.argv[1], sys.argv[2]))
