import base64

from harness import TASK, answer
from langsmith import Client, traceable, tracing_context
from langsmith.schemas import Attachment

client = Client()
sent = {name: base64.b64decode(data) for name, data in TASK["files"].items()}


@traceable
def look(question: str, photo: Attachment, note: Attachment) -> int:
    return len(photo.data)


with tracing_context(enabled=True, project_name=TASK["project"], client=client):
    look("what is it?", Attachment("image/png", sent["photo"]), ("text/plain", sent["note"]))
client.flush()

(listed,) = client.list_runs(project_name=TASK["project"])
read = client.read_run(listed.id)
answer(
    {
        where: {
            name: {"data": base64.b64encode(info["reader"].read()).decode(), "mime_type": info.get("mime_type")}
            for name, info in run.attachments.items()
        }
        for where, run in {"listed": listed, "read": read}.items()
    }
)
