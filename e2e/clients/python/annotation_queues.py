"""An annotation queue from its creation to its deletion."""

from datetime import datetime, timedelta, timezone
from uuid import uuid4

from harness import TASK, answer
from langsmith import Client

client = Client()
name = TASK["name"]


def raised(call):
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error)]
    return None


ids = [uuid4() for _ in range(3)]
for at, run_id in enumerate(ids):
    start = datetime.now(timezone.utc) + timedelta(seconds=at)
    client.create_run(
        f"answer {at}", {"at": at}, "llm", id=run_id, project_name=name, start_time=start,
        end_time=start + timedelta(seconds=1), outputs={"answer": "é"},
    )
client.flush()
project = client.read_project(project_name=name)

queue_id = uuid4()
items = [{"feedback_key": "correctness", "description": "Is it right?", "score_descriptions": {"0": "no", "1": "yes"},
          "is_required": True}]
created = client.create_annotation_queue(
    name=name, description="thumbs down", queue_id=queue_id, rubric_instructions="Check.", rubric_items=items
)
read = client.read_annotation_queue(queue_id)
client.update_annotation_queue(queue_id, name=f"{name}!", description="better", rubric_instructions="Look.", rubric_items=[])
updated = client.read_annotation_queue(queue_id)
listed = [
    [queue.id for queue in client.list_annotation_queues(**query)] == [queue_id]
    for query in ({"queue_ids": [queue_id]}, {"name": f"{name}!"}, {"name_contains": name[2:]}, {"name": f"{name}!", "limit": 1})
]

client.add_runs_to_annotation_queue(queue_id, run_ids=ids[:2])
client.add_runs_to_annotation_queue(
    queue_id,
    runs=[{"run_id": run.id, "session_id": project.id, "start_time": run.start_time}
          for run in sorted(client.list_runs(project_name=name), key=lambda run: run.start_time)],
)
in_order = [client.get_run_from_annotation_queue(queue_id, index=index) for index in range(3)]
needed = [run.id for run in client.list_runs_from_annotation_queue(queue_id, status="needs_my_review")]
few = len(list(client.list_runs_from_annotation_queue(queue_id, limit=2)))
past = raised(lambda: client.get_run_from_annotation_queue(queue_id, index=3))
client.delete_run_from_annotation_queue(queue_id, run_id=ids[0])
left = [run.id for run in client.list_runs_from_annotation_queue(queue_id)]
unknown = raised(lambda: client.add_runs_to_annotation_queue(queue_id, run_ids=[uuid4()]))
client.delete_annotation_queue(queue_id)
answer({
    "created": created.model_dump(),
    "read": read.model_dump(),
    "updated": updated.model_dump(),
    "listed": listed,
    "in_order": [run.id for run in in_order] == ids,
    "one": [in_order[1].name, in_order[1].inputs, in_order[1].outputs],
    "needed": needed == ids,
    "few": few,
    "left": left == ids[1:],
    "past": past,
    "unknown": unknown,
    "gone": raised(lambda: client.read_annotation_queue(queue_id)),
})
