"""What the public client pulls for a prompt, with its model."""

import json
import sys

from langsmith import Client

task = json.load(sys.stdin)
pulled = Client().pull_prompt_commit(task["prompt"], include_model=True)
fields = ("owner", "repo", "commit_hash", "manifest")
json.dump({name: getattr(pulled, name) for name in fields}, sys.stdout)
