import { mkdir } from 'node:fs/promises'
import { type Client, NotFoundError, type Prompt } from '@touchstone/sdk'
import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatTable, formatTime } from '../output.ts'
import { collect, LIMIT_FLAG, mapInParallel, printLimitNotice, readLimit } from '../paging.ts'
import {
  formatPromptDiff,
  type PromptFile,
  readPromptFile,
  readStoredPrompt,
  toPromptPath,
  writePromptFile,
} from './prompts/prompt-files.ts'

export const listPrompts = command({
  summary: 'List prompts, recently changed first',
  flags: {
    query: { type: 'string', value: 'TEXT', description: 'only prompts with this text in name, description or readme' },
    public: { type: 'boolean', description: 'only public prompts, including those of other workspaces' },
    archived: { type: 'boolean', description: 'archived prompts instead' },
    limit: LIMIT_FLAG,
  },
  async run({ client, output, flags }) {
    const limit = readLimit(flags.limit)
    const { query, archived: isArchived } = flags
    const isPublic = flags.public ? true : undefined
    const prompts = await collect(client.listPrompts({ query, isArchived, isPublic, limit }))
    output.data(prompts, (rows) =>
      formatTable(rows, [
        ['NAME', ({ full_name, repo_handle, is_foreign }) => (is_foreign ? full_name : repo_handle)],
        ['COMMIT', ({ last_commit_hash }) => last_commit_hash?.slice(0, 8)],
        ['COMMITS', ({ num_commits }) => num_commits],
        ['TAGS', ({ commit_tags }) => commit_tags?.join(' ') || undefined],
        ['PUBLIC', ({ is_public }) => (is_public ? 'yes' : 'no')],
        ['CHANGED', ({ updated_at }) => formatTime(updated_at)],
        ['DESCRIPTION', ({ description }) => description || undefined],
      ]),
    )
    printLimitNotice(output, prompts, limit)
  },
})

interface PulledPrompt {
  name: string
  prompt: PromptFile
}

interface FileChange {
  name: string
  file: string
  change: 'new' | 'changed' | 'same'
  diff: string
}

export const pullPrompts = command({
  summary: 'Write prompts to files, one JSON file each, for git',
  positionals: ['prompt?'],
  flags: {
    folder: { type: 'string', value: 'FOLDER', description: 'folder of the files (default prompts)' },
    yes: { type: 'boolean', description: 'overwrite files that differ; without this flag they are kept' },
  },
  notes: [
    'Without a prompt, all prompts of the workspace that are not archived are pulled. A prompt is a name, or name:commit with',
    'a hash, a hash prefix or a tag. Manifests are written as they were committed.',
  ],
  async run({ client, output, positionals, flags }) {
    const { folder = 'prompts', yes } = flags
    const isWritten = ({ change }: FileChange) => change === 'new' || (change === 'changed' && yes === true)
    const compared = await mapInParallel(await loadPrompts(client, positionals[0]), async ({ name, prompt }) => ({
      prompt,
      change: await compareWithFile(folder, name, prompt),
    }))
    await mkdir(folder, { recursive: true })
    for (const { prompt, change } of compared) if (isWritten(change)) await writePromptFile(change.file, prompt)

    const changes = compared.map(({ change }) => change)
    output.data(changes, (rows) => rows.flatMap(({ change, diff }) => (change === 'changed' ? diff : [])).join('\n'))
    const countOf = (kind: FileChange['change']) => changes.filter(({ change }) => change === kind).length
    output.message(`${changes.filter(isWritten).length} files written, ${countOf('same')} were up to date.`)
    const kept = yes ? 0 : countOf('changed')
    if (kept > 0) {
      throw new UsageError(`${kept} files differ from the server and were kept. Add --yes to overwrite them.`)
    }
  },
})

async function loadPrompts(client: Client, identifier: string | undefined): Promise<PulledPrompt[]> {
  if (identifier === undefined) {
    const prompts = await collect(client.listPrompts())
    const ownPrompts = prompts.filter(({ is_foreign }) => !is_foreign)
    return await mapInParallel(ownPrompts, (prompt) => loadPrompt(client, prompt))
  }
  const [, name = identifier, version] = /^([^:]*):(.+)$/.exec(identifier) ?? []
  const prompt = await client.getPrompt(name)
  if (prompt === null) throw new NotFoundError(`There is no prompt "${name}".`)
  if (prompt.is_foreign) throw new UsageError(`"${name}" belongs to another workspace; fork it first.`)
  return [await loadPrompt(client, prompt, version)]
}

async function loadPrompt(client: Client, prompt: Prompt, version?: string): Promise<PulledPrompt> {
  return { name: prompt.repo_handle, prompt: await readStoredPrompt(client, prompt, version) }
}

async function compareWithFile(folder: string, name: string, prompt: PromptFile): Promise<FileChange> {
  const file = toPromptPath(folder, name)
  const local = await readPromptFile(file)
  if (local === undefined) return { name, file, change: 'new', diff: '' }
  const diff = formatPromptDiff({ label: file, prompt: local }, { label: name, prompt })
  return { name, file, change: diff === '' ? 'same' : 'changed', diff }
}
