import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Client, ConflictError } from '@touchstone/sdk'
import { command } from '../../command.ts'
import { UsageError } from '../../exit-codes.ts'
import type { Output } from '../../output.ts'
import { mapInParallel } from '../../paging.ts'
import {
  formatPromptDiff,
  getPromptName,
  type PromptFile,
  readPromptFile,
  readStoredPrompt,
  writePromptFile,
} from './prompt-files.ts'

interface PushPlan {
  name: string
  file: string
  local: PromptFile
  /** Absent for a new prompt. */
  stored: PromptFile | undefined
  /** Whether the manifest differs from the newest commit. */
  hasNewManifest: boolean
  diff: string
}

export const pushPrompts = command({
  summary: 'Commit prompts from files, after showing the changes',
  positionals: ['path?'],
  flags: {
    message: { type: 'string', value: 'TEXT', description: 'description of the commits' },
    tag: {
      type: 'string',
      value: 'NAME',
      multiple: true,
      description: 'commit tag to move to each commit; may be repeated',
    },
    force: { type: 'boolean', description: 'also commit when there are newer commits than the file' },
    yes: { type: 'boolean', description: 'confirm; without this flag only the changes are shown' },
  },
  notes: [
    'The path is a file or a folder (default prompts), as written by "prompts pull"; the name of a file is the name of the',
    'prompt. A file contains the commit it was pulled from. If there is a newer commit, nothing is pushed.',
  ],
  async run({ client, output, positionals, flags }) {
    const [path = 'prompts'] = positionals
    const plans = await mapInParallel(await listFiles(path), (file) => createPlan(client, file))
    const changes = plans.filter(({ diff }) => diff !== '')
    const isConfirmed = flags.yes === true
    // With --json there must be one document: after a push it is the result of the push.
    if (!isConfirmed || !output.isJson) {
      output.data(plans.map(toSummary), (rows) => rows.flatMap(({ diff }) => diff || []).join('\n'))
    }
    if (changes.length === 0) output.message('Nothing differs from the server.')
    else if (!flags.force) assertNoNewerCommits(changes)
    if (!isConfirmed && changes.length > 0) {
      throw new UsageError(`This would change ${changes.length} prompts. Add --yes to confirm.`)
    }
    if (!isConfirmed) return
    await pushAll(client, output, plans, { message: flags.message, tags: flags.tag ?? [] })
  },
})

function toSummary({ name, file, stored, diff }: PushPlan) {
  return { name, file, change: diff === '' ? 'same' : stored === undefined ? 'new' : 'changed', diff }
}

async function listFiles(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new UsageError(`There is no file or folder ${path}.`)
  if (!found.isDirectory()) return [path]
  const names = (await readdir(path)).filter((name) => name.endsWith('.json')).sort()
  if (names.length === 0) throw new UsageError(`There are no JSON files in ${path}.`)
  return names.map((name) => join(path, name))
}

async function createPlan(client: Client, file: string): Promise<PushPlan> {
  const name = getPromptName(file)
  const local = await readPromptFile(file)
  if (local === undefined) throw new UsageError(`There is no file ${file}.`)
  const prompt = await client.getPrompt(name)
  const stored = prompt === null ? undefined : await readStoredPrompt(client, prompt)
  // The server ignores the order of keys, so it must not count as a change here.
  const hasNewManifest = local.manifest !== undefined && !isDeepStrictEqual(local.manifest, stored?.manifest)
  const after = { ...local, commit: undefined, manifest: hasNewManifest ? local.manifest : stored?.manifest }
  const diff = formatPromptDiff(
    { label: stored ? name : '(new)', prompt: stored && { ...stored, commit: undefined } },
    { label: file, prompt: after },
  )
  return { name, file, local, stored, hasNewManifest, diff }
}

/** @throws ConflictError when there are newer commits than those of the files */
function assertNoNewerCommits(changes: readonly PushPlan[]): void {
  const stale = changes.filter(({ local, stored, hasNewManifest }) => {
    return (
      hasNewManifest &&
      local.commit !== undefined &&
      stored?.commit !== undefined &&
      !stored.commit.startsWith(local.commit)
    )
  })
  if (stale.length === 0) return
  const names = stale.map(({ name }) => `"${name}"`).join(', ')
  throw new ConflictError(`Committed since the file was pulled: ${names}. Pull and merge, or add --force.`)
}

interface PushOptions {
  message: string | undefined
  tags: readonly string[]
}

async function pushAll(
  client: Client,
  output: Output,
  plans: readonly PushPlan[],
  options: PushOptions,
): Promise<void> {
  const results: object[] = []
  try {
    for (const plan of plans) {
      const pushed = plan.diff === '' ? {} : await pushPrompt(client, plan, options)
      results.push({ ...toSummary(plan), ...pushed })
    }
  } finally {
    if (output.isJson) output.data(results, () => '')
    const count = results.filter((result) => 'url' in result).length
    output.message(`Pushed ${count} ${count === 1 ? 'prompt' : 'prompts'}.`)
  }
}

async function pushPrompt(
  client: Client,
  { name, file, local, stored, hasNewManifest }: PushPlan,
  options: PushOptions,
) {
  const { description, readme, tags } = local
  const hasChanged = (key: 'description' | 'readme' | 'tags') => !isDeepStrictEqual(local[key], stored?.[key])
  const url = await client.pushPrompt(name, {
    ...(hasChanged('description') && { description }),
    ...(hasChanged('readme') && { readme }),
    ...(hasChanged('tags') && { tags: [...tags] }),
    ...(hasNewManifest && {
      object: local.manifest,
      // A commit made after the comparison causes a conflict.
      parentCommitHash: stored?.commit,
      commitTags: [...options.tags],
      commitDescription: options.message,
    }),
  })
  const commit = hasNewManifest ? (await client.getPrompt(name))?.last_commit_hash : stored?.commit
  if (commit && commit !== local.commit) await writePromptFile(file, { ...local, commit })
  return { commit: commit ?? null, url }
}
