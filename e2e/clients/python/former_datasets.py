from uuid import uuid4

import langsmith
from harness import TASK, answer
from langsmith import Client

client = Client()
name = TASK["name"]
dataset = client.create_dataset(name, inputs_schema={"type": "object", "properties": {"q": {"type": "string"}}})
key = {"dataset_id": dataset.id}

ids = [uuid4() for _ in TASK["questions"]]
made = client.create_examples(
    inputs=[{"q": question} for question in TASK["questions"]],
    outputs=[{"at": at} for at in range(len(ids))],
    metadata=[{"at": at} for at in range(len(ids))],
    splits=["train" for _ in ids],
    ids=ids,
    **key,
)
client.index_dataset(**key)
client.sync_indexed_dataset(**key)


def found(inputs, limit, **more):
    examples = client.similar_examples(inputs, limit=limit, **key, **more)
    return [
        {"inputs": one.inputs, "outputs": one.outputs, "metadata": one.metadata, "own": one.dataset_id == dataset.id}
        for one in examples
    ]


result = {
    "version": langsmith.__version__,
    "similar": found({"q": "How many people live in Paris? What is its population?"}, 2),
    "filtered": found({"q": "Paris"}, 1, filter="gt(metadata.at, 0)"),
}
client.update_example(example_id=ids[0], inputs={"q": "changed"}, outputs={"at": "too"})
client.delete_example(ids[1])
answer(
    {
        **result,
        "left": sorted([one.inputs["q"], one.outputs["at"], one.metadata] for one in client.list_examples(**key)),
        "splits": client.list_dataset_splits(**key),
        "searched_again": found({"q": "changed"}, 1)[0]["inputs"],
        "count": client.read_dataset(**key).example_count,
    }
)
