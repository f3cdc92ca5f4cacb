from datetime import datetime
from uuid import UUID

from harness import TASK, answer, fields
from langsmith import Client

client = Client()
run = TASK["run"]
place = {key: run[key] for key in ("id", "trace_id", "dotted_order")}
at_end = {key: run[key] for key in ("outputs", "error", "events")}

client.create_run(
    **place,
    project_name=TASK["project"],
    start_time=datetime.fromisoformat(run["start_time"]),
    reference_example_id=UUID(run["reference_example_id"]),
    **{key: run[key] for key in ("name", "run_type", "inputs", "serialized", "tags", "extra")},
)
if TASK["apart"]:
    client.flush()
client.update_run(
    place["id"],
    trace_id=place["trace_id"],
    dotted_order=place["dotted_order"],
    end_time=datetime.fromisoformat(run["end_time"]),
    **at_end,
)
client.flush()

listed = next(client.list_runs(project_name=TASK["project"]))
answer({"read": fields(client.read_run(place["id"])), "listed": fields(listed)})
