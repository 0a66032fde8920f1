"""A TCP relay before a server: it counts, reads requests along, and can be slow. So every server is measured alike."""

import asyncio
import re
import threading

PIECE = 65536
REQUEST = re.compile(rb"(GET|HEAD) \S+ HTTP/1\.1\r\n(.*?)\r\n\r\n", re.DOTALL)
RANGE = re.compile(rb"\r\nrange: *bytes=(\d+)-(\d+)", re.IGNORECASE)


class Relay:
    """Runs in a thread of its own for the life of the process."""

    def __init__(self, target_port):
        self.target_port = target_port
        self.port = None
        self.reset()
        ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._serve(ready)), daemon=True).start()
        ready.wait()

    def reset(self, bytes_per_second=None):
        """Counts from 0; `bytes_per_second` is for all connections together."""
        self.connections = 0
        self.requests = 0
        self.received = 0  # bytes on the wire towards the client, headers and TLS included
        self.asked = []  # half-open ranges of plain requests
        self.bytes_per_second = bytes_per_second
        self.next_piece_at = 0

    async def _serve(self, ready):
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0, limit=PIECE)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await server.serve_forever()

    async def _connection(self, client_reader, client_writer):
        self.connections += 1
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.target_port, limit=PIECE)
        except OSError:
            client_writer.transport.abort()
            return
        await asyncio.gather(self._pass_requests(client_reader, writer), self._pass_answers(reader, client_writer))

    async def _pass_requests(self, reader, writer):
        heads = b""
        try:
            while piece := await reader.read(PIECE):
                heads = self._note_requests(heads + piece)
                writer.write(piece)
                await writer.drain()
        except OSError:
            pass
        # Neither side of HTTP goes on when the other has ended; the other direction ends with this.
        writer.close()

    def _note_requests(self, text):
        end = 0
        for match in REQUEST.finditer(text):
            end = match.end()
            self.requests += 1
            found = RANGE.search(b"\r\n" + match[2])
            if match[1] == b"GET" and found:
                self.asked.append(range(int(found[1]), int(found[2]) + 1))
        return text[end:][-PIECE:]

    async def _pass_answers(self, reader, writer):
        try:
            while piece := await reader.read(PIECE):
                await self._wait_turn(len(piece))
                self.received += len(piece)
                writer.write(piece)
                await writer.drain()
        except OSError:
            pass
        writer.close()

    async def _wait_turn(self, byte_count):
        if not self.bytes_per_second:
            return
        now = asyncio.get_running_loop().time()
        start = max(now, self.next_piece_at)
        self.next_piece_at = start + byte_count / self.bytes_per_second
        await asyncio.sleep(start - now)
