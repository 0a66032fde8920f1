"""The page docs/interoperability.md."""

HEAD = """# Interoperability

The same file, 64 MiB, from real servers. `scripts/check interop` installs them, starts each on the loopback with its
defaults but for ports and folders, and writes this page; nothing here is written by hand.

*right*: exit 0, the right SHA-256, and nothing left beside the file. **Bold** is a failure. Connections and requests
are counted by a relay between segdl and the server; requests inside TLS can't be. More than four requests a
connection are too many. Seconds stand where there were more than five; more than 60 are too many.

*Edges*: 0 and 1 bytes, one segment, and a byte less and more, with `-j 8`. *Killed*: SIGKILL when half of the file
had come, then the same command again, `-j 8`; what was fetched is what the journal did not have, and segdl asked for
no more than that.

| server | version | scheme | `-j 1` | `-j 8` | `-j 32` | edges | killed |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def write_page(path, rows):
    lines = [
        "| " + " | ".join([row.server.name, row.server.version(), row.scheme, *texts(row.cells)]) + " |" for row in rows
    ]
    text = HEAD + "\n".join(lines) + "\n" + remarks("What segdl said of them", rows, "notes")
    text += remarks("What it failed with", rows, "refusals")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def texts(cells):
    return [cell.text for cell in cells]


def remarks(title, rows, kind):
    """The sentences that segdl printed, each with the servers that it was about."""
    names = {}
    for row in rows:
        for sentence in getattr(row, kind):
            servers = names.setdefault(without_addresses(sentence), [])
            if row.server.name not in servers:
                servers.append(row.server.name)
    if not names:
        return ""
    return f"\n## {title}\n\n" + "".join(f"- {', '.join(servers)}: “{text}”\n" for text, servers in names.items())


def without_addresses(sentence):
    """Ports differ from run to run."""
    return " ".join("ADDRESS" if "127.0.0.1" in word else word for word in sentence.split())
