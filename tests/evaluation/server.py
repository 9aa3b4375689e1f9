"""A server that speaks the OpenAI chat protocol over real HTTP, and misbehaves when told to.

What it does with a request is a function of the request and of how often it has seen the prompt, so tests can script
"an error first, then an answer" whatever the order of concurrent requests.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = Mapping[str, Any]


@dataclass(frozen=True)
class Said:
    """One response."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    delay: float = 0.0


def completion(content: str | None, finish: str = "stop", tokens: int = 7, message: Body | None = None) -> Said:
    """A chat completion, with more fields of its message."""
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": content, **(message or {})},
    }
    usage = {"prompt_tokens": 11, "completion_tokens": tokens, "total_tokens": 11 + tokens}
    body = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
    return Said(body=json.dumps(body).encode())


def problem(status: int, message: str, **headers: str) -> Said:
    """An error of the API."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Said(status, named, json.dumps({"error": {"message": message, "type": "x", "code": status}}).encode())


Script = Callable[[Body, int], Said]
"""From a request, and how often its prompt and seed were asked before, to a response."""


class Server:
    """What a test sees of the server."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.busy = self.busiest = 0
        self._seen: Counter[str] = Counter()
        self._lock = threading.Lock()
        self.url = ""

    def respond(self, body: dict[str, Any]) -> Said:
        key = json.dumps([body["messages"], body.get("seed")])
        with self._lock:
            self.requests.append(body)
            self.times.append(time.monotonic())
            before = self._seen[key]
            self._seen[key] += 1
            self.busy += 1
            self.busiest = max(self.busiest, self.busy)
        said = self.script(body, before)
        time.sleep(said.delay)
        with self._lock:
            self.busy -= 1
        return said


@contextmanager
def serving(script: Script) -> Iterator[Server]:
    """Serve on a free port of this machine."""
    server = Server(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            assert self.path == "/v1/chat/completions"
            said = server.respond(json.loads(content))
            self.send_response(said.status)
            for name, value in {"Content-Type": "application/json", **said.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(said.body)))
            self.end_headers()
            self.wfile.write(said.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        server.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
        thread = threading.Thread(target=http.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()
