import type { Client, Prompt } from '@touchstone/sdk'
import { NotFoundError } from '@touchstone/sdk'
import { keepsItsNumbers, type PromptFile } from './prompt-file.ts'

/** A prompt of the server in the form of a file. Lists have manifests as they were committed, model included. */
export async function storedPrompt(client: Client, prompt: Prompt, version?: string): Promise<PromptFile> {
  const { description, readme, tags } = prompt
  const said = { description: description ?? '', readme: readme ?? '', tags }
  const found = version === undefined ? await newestCommit(client, prompt) : await commitAt(client, prompt, version)
  if (found === undefined) return said
  keepsItsNumbers(prompt.repo_handle, found.manifest)
  return { ...said, commit: found.commit_hash, manifest: found.manifest }
}

async function newestCommit(client: Client, { repo_handle, num_commits }: Prompt) {
  if (num_commits === 0) return undefined
  for await (const commit of client.listCommits(repo_handle, { limit: 1 })) return commit
  return undefined
}

async function commitAt(client: Client, { repo_handle }: Prompt, version: string) {
  const { commit_hash } = await client.pullPromptCommit(`${repo_handle}:${version}`, { skipCache: true })
  for await (const commit of client.listCommits(repo_handle)) if (commit.commit_hash === commit_hash) return commit
  throw new NotFoundError(`Commit ${commit_hash} of "${repo_handle}" was there and is gone.`)
}
