from uuid import uuid4

from harness import TASK, answer, fields
from langsmith import Client, RunTree
from langsmith.utils import LangSmithNotFoundError

client = Client()


def trace(name):
    root = RunTree(name=name, inputs={"of": name}, ls_client=client, project_name=TASK["project"])
    root.post()
    child = root.create_child(name=f"{name} child", run_type="llm", inputs={"n": 1})
    child.post()
    child.end(outputs={"text": "yes"})
    child.patch()
    root.end(outputs={"done": name})
    root.patch()
    return root, child


def absent(call):
    try:
        call()
    except LangSmithNotFoundError:
        return True
    return False


root, child = trace("shared")
other, _ = trace("private")
client.flush()

share_id = uuid4()
before = client.run_is_shared(root.id)
url = client.share_run(root.id, share_id=str(share_id))
stranger = Client(api_key="a placeholder")
result = {
    "ids": [str(root.id), str(child.id)],
    "before": before,
    "token": str(share_id),
    "url": url,
    "again": client.share_run(root.id),
    "link": client.read_run_shared_link(root.id),
    "root": fields(stranger.read_shared_run(share_id)),
    "child": fields(stranger.read_shared_run(url, run_id=child.id)),
    "listed": [fields(run) for run in stranger.list_shared_runs(share_id)],
    "one": [str(run.id) for run in stranger.list_shared_runs(url, run_ids=[str(child.id)])],
    "hidden": [str(run.id) for run in stranger.list_shared_runs(url, run_ids=[str(other.id)])],
    "hidden_read": absent(lambda: stranger.read_shared_run(share_id, run_id=other.id)),
}
client.unshare_run(root.id)
answer(
    {
        **result,
        "after": client.run_is_shared(root.id),
        "closed": absent(lambda: stranger.read_shared_run(share_id)),
    }
)
