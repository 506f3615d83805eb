"""A small client of `serve --jsonl`, and what it finds out. Prints one JSON object."""

import json
import subprocess
import sys
import threading


class Client:
    """Starts the server and talks to it."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self.answers = {}
        self.others = []
        self.arrived = threading.Condition()
        self.on_message = lambda message: None
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            self.on_message(message)
            with self.arrived:
                if "id" in message and message.get("type") not in ("ui_request", "exec_request"):
                    self.answers[message["id"]] = message
                else:
                    self.others.append(message)
                self.arrived.notify_all()

    def send(self, **message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def wait(self, id):
        with self.arrived:
            if not self.arrived.wait_for(lambda: id in self.answers, timeout=30):
                raise TimeoutError(f"no answer to {id}")
            return self.answers[id]

    def ask(self, id, **message):
        self.send(id=id, **message)
        return self.wait(id)

    def call(self, id, command):
        self.send(
            id=id, type="tool_call", toolName="bash", toolCallId=str(id), input={"command": command}
        )


def main():
    client = Client(sys.argv[1:])
    found = {}

    def reply(message):
        if message.get("type") == "ui_request":
            client.send(type="ui_response", id=message["id"], value="yes" in message["title"])
        if message.get("type") == "exec_request":
            client.send(type="exec_response", id=message["id"], allow=message["args"] == ["ok"])

    client.on_message = reply
    found["refused"] = client.ask("h0", type="hello", protocol=99).get("error")
    hello = client.ask("h1", type="hello", protocol=1, ui=True, exec="ask")
    found["events"] = len(hello["events"])
    found["hooks"] = [hook["events"] for hook in hello["hooks"]]
    client.call(1, "wait")
    client.call(2, "ls")
    found["overtakes"] = client.wait(2)["result"] is None and 1 not in client.answers
    client.send(type="cancel", id=1)
    found["cancelled"] = client.wait(1)["result"]
    for id, command in ((3, "deny"), (4, "ask yes"), (5, "ask no"), (6, "exec ok"), (7, "exec no")):
        client.call(id, command)
    found["results"] = [client.wait(id)["result"] for id in (3, 4, 5, 6, 7)]
    found["tool_result"] = client.ask(
        8,
        type="tool_result",
        toolName="bash",
        toolCallId="8",
        input={},
        content=[{"type": "text", "text": "TOKEN"}],
        details=None,
        isError=False,
    )["result"]
    found["context"] = client.ask(9, type="context", messages=[])["result"]
    found["not an event"] = client.ask(10, type="tool_cal")["error"]
    found["many"] = []
    for id in range(100, 200):
        client.call(id, "deny" if id % 2 else "ls")
    for id in range(100, 200):
        result = client.wait(id)["result"]
        found["many"].append(bool(result and result["block"]) == bool(id % 2))
    client.call(11, "say")
    client.wait(11)
    found["sent"] = [m["message"]["content"] for m in client.others if m["type"] == "send_message"]
    client.process.stdin.close()
    found["code"] = client.process.wait(timeout=30)
    json.dump(found, sys.stdout)


main()
