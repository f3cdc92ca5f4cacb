import { mkdir } from 'node:fs/promises'
import { type Client, NotFoundError, type Prompt } from '@touchstone/sdk'
import { collect } from '../../collect.ts'
import { command } from '../../command.ts'
import { UsageError } from '../../flags.ts'
import { inParallel } from '../../in-parallel.ts'
import { clean } from '../../output.ts'
import { diffLines, printDiff } from './diff-lines.ts'
import { type PromptFile, printPrompt, promptPath, readPrompt, writePrompt } from './prompt-file.ts'
import { storedPrompt } from './stored-prompt.ts'

interface Change {
  name: string
  file: string
  change: 'new' | 'changed' | 'same'
  diff: string
}

export default command({
  summary: 'Write prompts to files, one JSON file each, for git',
  words: ['prompt?'],
  flags: {
    folder: { type: 'string', value: 'FOLDER', says: 'where the files are (default prompts)' },
    yes: { type: 'boolean', says: 'overwrite files that differ; without this, they stay' },
  },
  notes: [
    'Without a prompt, all of the workspace are pulled that are not in the archive. A prompt is its name, or',
    'name:commit with a hash, the beginning of one, or a tag. Manifests are written as they were committed.',
  ],
  async run({ client, output, words, flags }) {
    const { folder = 'prompts', yes } = flags
    const pulled = await pull(client, words[0])
    const changes = await inParallel(pulled, ({ name, prompt }) => compare(folder, name, prompt))
    const isWritten = ({ change }: Change) => change === 'new' || (change === 'changed' && yes === true)
    await mkdir(folder, { recursive: true })
    for (const [at, change] of changes.entries()) {
      if (isWritten(change)) await writePrompt(change.file, pulled[at]!.prompt)
    }

    output.data(changes, (rows) => rows.flatMap(({ change, diff }) => (change === 'changed' ? diff : [])).join('\n'))
    const count = (change: Change['change']) => changes.filter((one) => one.change === change).length
    const kept = yes ? 0 : count('changed')
    output.talk(`${changes.filter(isWritten).length} files written, ${count('same')} were up to date.`)
    if (kept > 0) throw new UsageError(`${kept} files differ from the server and stay. Add --yes to overwrite them.`)
  },
})

interface Pulled {
  name: string
  prompt: PromptFile
}

async function pull(client: Client, word: string | undefined): Promise<Pulled[]> {
  if (word === undefined) {
    const prompts = await collect(client.listPrompts())
    const own = prompts.filter(({ is_foreign }) => !is_foreign)
    return await inParallel(own, (prompt) => named(client, prompt))
  }
  const [, name = word, version] = /^([^:]*):(.+)$/.exec(word) ?? []
  const prompt = await client.getPrompt(name)
  if (prompt === null) throw new NotFoundError(`There is no prompt "${name}".`)
  if (prompt.is_foreign) throw new UsageError(`"${name}" belongs to another workspace; fork it first.`)
  return [await named(client, prompt, version)]
}

async function named(client: Client, prompt: Prompt, version?: string): Promise<Pulled> {
  return { name: prompt.repo_handle, prompt: await storedPrompt(client, prompt, version) }
}

async function compare(folder: string, name: string, prompt: PromptFile): Promise<Change> {
  const file = promptPath(folder, name)
  const local = await readPrompt(file)
  if (local === undefined) return { name, file, change: 'new', diff: '' }
  const lines = printDiff(diffLines(printPrompt(local), printPrompt(prompt)))
  const diff = [`--- ${file}`, `+++ ${name}`, ...lines.split('\n')].map(clean).join('\n')
  return lines === '' ? { name, file, change: 'same', diff: '' } : { name, file, change: 'changed', diff }
}
