"""Rules and their evaluators as the published client reads them, and a decision model that it creates."""

from datetime import datetime, timedelta, timezone

from harness import TASK, answer
from langsmith import Client

api = Client()._get_langsmith_api_sync()


def fields(item):
    return item.model_dump(mode="json", by_alias=True)


if TASK["do"] == "create":
    created = api.evaluators.create_decision_model(
        display_name=TASK["name"],
        prompt=[["human", "{{output}}"]],
        questions={
            "polite": {"instructions": "Is it polite?", "type": "noul", "yes": "kind", "no": "rude"},
            "topic": {"instructions": "What is it about?", "type": "choice", "options": ["billing", "other"]},
        },
        model="fake-script",
        sampling_rate=0.25,
        session_id=TASK["project_id"],
    )
    answer({"created": fields(created)})
else:
    start = (datetime.now(timezone.utc) - timedelta(days=3)).date().isoformat()
    listed = api.evaluators.list(session_id=TASK["project_id"], include_backfill_progress=True)
    answer(
        {
            "listed": [fields(rule) for rule in listed],
            "v2": [fields(rule) for rule in api.evaluators.list_v2(project_id=TASK["project_id"], page_size=1)],
            "named": [rule.id for rule in api.evaluators.list_v2(name_contains=TASK["name"], type="PROJECT")],
            "online": [fields(one) for one in api.online_evaluators.list(feedback_key=TASK["key"])],
            "spend": fields(api.online_evaluators.spend(period_start=start, group_by="run_rule")),
        }
    )
