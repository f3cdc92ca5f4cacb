from uuid import uuid4

from harness import TASK, answer, plain
from langsmith import Client
from langsmith.utils import LangSmithConflictError, LangSmithNotFoundError

client = Client()
name = TASK["project"]


def raised(error, call):
    try:
        call()
    except error:
        return True
    return False


created = client.create_project(name, description="first", metadata={"team": "care"})
upserted = client.create_project(name, description="second", upsert=True)
client.update_project(created.id, name=f"{name}-2", metadata={"stage": "x"})
read = client.read_project(project_name=f"{name}-2", include_stats=True)
result = {
    "same": created.id == upserted.id,
    "conflict": raised(LangSmithConflictError, lambda: client.create_project(f"{name}-2")),
    "absent": raised(LangSmithNotFoundError, lambda: client.read_project(project_name=f"{name}-absent")),
    "absent_run": raised(LangSmithNotFoundError, lambda: client.read_run(uuid4())),
    "has": client.has_project(f"{name}-2"),
    "has_absent": client.has_project(f"{name}-absent"),
    "read": plain(read),
    "listed": [project.name for project in client.list_projects(name_contains=name)],
    "tenant": str(client._get_tenant_id()),
}
client.delete_project(project_name=f"{name}-2")
answer({**result, "has_deleted": client.has_project(f"{name}-2")})
