import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Client, ConflictError } from '@touchstone/sdk'
import { command } from '../../command.ts'
import { UsageError } from '../../flags.ts'
import { inParallel } from '../../in-parallel.ts'
import { clean, type Output } from '../../output.ts'
import { diffLines, printDiff } from './diff-lines.ts'
import { type PromptFile, printPrompt, promptName, readPrompt, writePrompt } from './prompt-file.ts'
import { storedPrompt } from './stored-prompt.ts'

interface Plan {
  name: string
  file: string
  local: PromptFile
  /** Absent where the prompt is new. */
  stored: PromptFile | undefined
  commits: boolean
  diff: string
}

export default command({
  summary: 'Commit prompts from files, after showing what would change',
  words: ['path?'],
  flags: {
    message: { type: 'string', value: 'TEXT', says: 'description of the commits' },
    tag: { type: 'string', value: 'NAME', multiple: true, says: 'commit tag that is moved to each commit' },
    force: { type: 'boolean', says: 'commit also over commits that the file does not know' },
    yes: { type: 'boolean', says: 'do it; without this, only the difference is shown' },
  },
  notes: [
    'The path is a file or a folder of them (default prompts), as "prompts pull" writes them; the name of the file is the',
    'name of the prompt. A file knows the commit it was pulled at: when there is a newer one, nothing is pushed.',
  ],
  async run({ client, output, words, flags }) {
    const plans = await inParallel(await filesAt(words[0] ?? 'prompts'), (file) => planOf(client, file))
    const changes = plans.filter(({ diff }) => diff !== '')
    const isDoing = flags.yes === true
    // One document of JSON: where things are done, it is what was done.
    if (!isDoing || !output.isJson) {
      output.data(plans.map(shown), (rows) => rows.flatMap(({ diff }) => diff || []).join('\n'))
    }
    if (changes.length === 0) output.talk('Nothing differs from the server.')
    else if (!flags.force) refuseOverwriting(changes)
    if (!isDoing && changes.length > 0) {
      throw new UsageError(`This would change ${changes.length} prompts. Add --yes to do it.`)
    }
    if (!isDoing) return
    await pushAll(client, output, plans, { message: flags.message, tags: flags.tag ?? [] })
  },
})

const shown = ({ name, file, stored, diff }: Plan) => ({
  name,
  file,
  change: diff === '' ? 'same' : stored === undefined ? 'new' : 'changed',
  diff,
})

async function filesAt(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new UsageError(`There is no file or folder ${path}.`)
  if (!found.isDirectory()) return [path]
  const names = (await readdir(path)).filter((name) => name.endsWith('.json')).sort()
  if (names.length === 0) throw new UsageError(`There are no JSON files in ${path}.`)
  return names.map((name) => join(path, name))
}

async function planOf(client: Client, file: string): Promise<Plan> {
  const name = promptName(file)
  const local = await readPrompt(file)
  if (local === undefined) throw new UsageError(`There is no file ${file}.`)
  const prompt = await client.getPrompt(name)
  const stored = prompt === null ? undefined : await storedPrompt(client, prompt)
  // The order of keys is no difference to the server, so it must be none here.
  const commits = local.manifest !== undefined && !isDeepStrictEqual(local.manifest, stored?.manifest)
  const after = { ...local, commit: undefined, manifest: commits ? local.manifest : stored?.manifest }
  const lines = printDiff(diffLines(stored ? printPrompt({ ...stored, commit: undefined }) : '', printPrompt(after)))
  const diff = lines === '' ? '' : [`--- ${stored ? name : '(new)'}`, `+++ ${file}`, ...lines.split('\n')]
  return { name, file, local, stored, commits, diff: [diff].flat().map(clean).join('\n') }
}

/** @throws ConflictError when somebody committed what a file does not know */
function refuseOverwriting(changes: readonly Plan[]): void {
  const stale = changes.filter(({ local, stored, commits }) => {
    return (
      commits && local.commit !== undefined && stored?.commit !== undefined && !stored.commit.startsWith(local.commit)
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

async function pushAll(client: Client, output: Output, plans: readonly Plan[], options: PushOptions): Promise<void> {
  const results: object[] = []
  try {
    for (const plan of plans) {
      const pushed = plan.diff === '' ? {} : await pushOne(client, plan, options)
      results.push({ ...shown(plan), ...pushed })
    }
  } finally {
    if (output.isJson) output.data(results, () => '')
    const count = results.filter((result) => 'url' in result).length
    output.talk(`Pushed ${count} ${count === 1 ? 'prompt' : 'prompts'}.`)
  }
}

async function pushOne(client: Client, { name, file, local, stored, commits }: Plan, options: PushOptions) {
  const { description, readme, tags } = local
  const isNewer = (key: 'description' | 'readme' | 'tags') => !isDeepStrictEqual(local[key], stored?.[key])
  const url = await client.pushPrompt(name, {
    ...(isNewer('description') && { description }),
    ...(isNewer('readme') && { readme }),
    ...(isNewer('tags') && { tags: [...tags] }),
    ...(commits && {
      object: local.manifest,
      // What was compared is what is replaced: whoever commits meanwhile makes this a conflict.
      parentCommitHash: stored?.commit,
      commitTags: [...options.tags],
      commitDescription: options.message,
    }),
  })
  const commit = commits ? (await client.getPrompt(name))?.last_commit_hash : stored?.commit
  if (commit && commit !== local.commit) await writePrompt(file, { ...local, commit })
  return { commit: commit ?? null, url }
}
