import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Terminal } from './testing/terminal.ts'

let terminal: Terminal
let client: Client
beforeAll(async () => {
  terminal = await Terminal.open()
  client = new Client({ apiUrl: terminal.endpoint })
}, 90_000)
afterAll(() => terminal?.close())

const touchstone = (...args: string[]) => terminal.run(...args)
const aManifest = (template: string) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'],
  kwargs: { template, input_variables: [], template_format: 'f-string' },
})

/** A folder of its own in the terminal's. */
function aFolder(name: string, files: Record<string, unknown> = {}): string {
  const folder = join(terminal.folder, name)
  mkdirSync(folder)
  for (const [file, content] of Object.entries(files)) {
    writeFileSync(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return folder
}
const read = (folder: string, name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))

async function commitsOf(name: string) {
  const commits = []
  for await (const commit of client.listCommits(name)) commits.push(commit)
  return commits
}

// Each call starts the program from sources, which is slow on a busy machine.
describe('prompts on the command line', { timeout: 120_000 }, () => {
  it('are pushed with a note when the server repaired a text', async () => {
    const cut = '{"description": "Jokes \\ud83e", "manifest": MANIFEST}'.replace(
      'MANIFEST',
      JSON.stringify(aManifest('Joke')),
    )
    const pushed = await touchstone('prompts', 'push', aFolder('cut', { 'cut.json': cut }), '--yes')
    expect(pushed).toMatchObject({ code: 0, stderr: expect.stringMatching(/ repaired description\n/) })
    expect(await client.getPrompt('cut')).toMatchObject({ description: 'Jokes \ufffd' })
  })

  it('are pulled to files and pushed back, with the commit in each file', async () => {
    await client.pushPrompt('joke', { object: aManifest('Tell a joke'), description: 'Jokes', tags: ['fun'] })
    const folder = join(terminal.folder, 'round')
    const pulled = await touchstone('prompts', 'pull', 'joke', '--folder', folder)
    expect(pulled).toMatchObject({ code: 0, stdout: '', stderr: '1 files written, 0 were up to date.\n' })
    const [first] = await commitsOf('joke')
    const before = read(folder, 'joke')
    expect(before).toEqual({
      description: 'Jokes',
      readme: '',
      tags: ['fun'],
      commit: first!.commit_hash,
      manifest: aManifest('Tell a joke'),
    })
    expect(await touchstone('prompts', 'push', folder)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Nothing differs from the server.\n',
    })

    const changed = { ...before, description: 'Better jokes', manifest: aManifest('Tell a good joke') }
    writeFileSync(join(folder, 'joke.json'), JSON.stringify(changed))
    const asked = await touchstone('prompts', 'push', folder)
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('This would change 1 prompts. Add --yes') })
    expect(asked.stdout).toContain('-  "description": "Jokes"')
    expect(asked.stdout).toContain('+      "template": "Tell a good joke"')
    expect(await commitsOf('joke')).toHaveLength(1)

    const done = await touchstone('prompts', 'push', folder, '--yes', '--message', 'funnier', '--tag', 'production')
    expect(done).toMatchObject({ code: 0, stderr: 'Pushed 1 prompt.\n' })
    const [second] = await commitsOf('joke')
    expect(second).toMatchObject({ description: 'funnier', parent_commit_hash: first!.commit_hash })
    expect(read(folder, 'joke')).toEqual({ ...changed, commit: second!.commit_hash })
    expect(await client.getPrompt('joke')).toMatchObject({ description: 'Better jokes', commit_tags: ['production'] })
    expect((await touchstone('prompts', 'push', folder, '--json')).json()).toMatchObject([
      { name: 'joke', change: 'same' },
    ])
  })

  it('are not committed over newer commits', async () => {
    await client.pushPrompt('shared', { object: aManifest('one') })
    const folder = join(terminal.folder, 'stale')
    await touchstone('prompts', 'pull', 'shared', '--folder', folder)
    await client.pushPrompt('shared', { object: aManifest('two') })
    writeFileSync(
      join(folder, 'shared.json'),
      JSON.stringify({ ...read(folder, 'shared'), manifest: aManifest('mine') }),
    )
    const refused = await touchstone('prompts', 'push', folder, '--yes')
    expect(refused).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('Committed since the file was pulled: "shared"'),
    })
    expect(await commitsOf('shared')).toHaveLength(2)
    const forced = await touchstone('prompts', 'push', join(folder, 'shared.json'), '--yes', '--force', '--json')
    expect(forced.json()).toMatchObject([
      { name: 'shared', change: 'changed', url: expect.stringContaining('/prompts/shared/') },
    ])
    expect((await commitsOf('shared'))[0]!.manifest).toEqual(aManifest('mine'))
  })

  it('are created from new files, several at once', async () => {
    const folder = aFolder('fresh', {
      'first.json': { description: 'One', manifest: aManifest('1') },
      'second.json': { tags: ['b'] },
      'notes.txt': 'not a prompt',
    })
    const pushed = await touchstone('prompts', 'push', folder, '--yes', '--json')
    expect(pushed.json()).toMatchObject([
      { name: 'first', change: 'new', commit: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { name: 'second', change: 'new', commit: null },
    ])
    expect(await client.getPrompt('second')).toMatchObject({ tags: ['b'], num_commits: 0 })
  })

  it('are not overwritten in files without --yes, and keep their model', async () => {
    const sequence = {
      lc: 1,
      type: 'constructor',
      id: ['langchain', 'schema', 'runnable', 'RunnableSequence'],
      kwargs: { first: aManifest('x'), last: { lc: 1, type: 'constructor', id: ['x', 'ChatOpenAI'], kwargs: {} } },
    }
    await client.pushPrompt('model', { object: sequence, commitTags: 'v1' })
    await client.pushPrompt('model', { object: aManifest('without') })
    const folder = aFolder('kept', { 'model.json': { manifest: aManifest('local') } })
    const kept = await touchstone('prompts', 'pull', 'model:v1', '--folder', folder)
    expect(kept).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('1 files differ from the server and were kept.'),
    })
    expect(kept.stdout).toContain('-      "template": "local"')
    expect(read(folder, 'model').manifest).toEqual(aManifest('local'))
    expect((await touchstone('prompts', 'pull', 'model:v1', '--folder', folder, '--yes')).code).toBe(0)
    expect(read(folder, 'model').manifest).toEqual(sequence)
  })

  it('are listed, and all except archived ones are pulled', async () => {
    await client.createPrompt('old')
    await client.updatePrompt('old', { isArchived: true })
    const list = (await touchstone('prompts', 'list', '--json')).json()
    const names = list.map((prompt: { repo_handle: string }) => prompt.repo_handle)
    expect(names).toEqual(expect.arrayContaining(['joke', 'shared']))
    expect(names).not.toContain('old')
    expect((await touchstone('prompts', 'list', '--query', 'jok')).stdout).toMatch(/^NAME .*\njoke /)
    expect((await touchstone('prompts', 'list', '--archived')).stdout).toContain('old')
    const folder = join(terminal.folder, 'all')
    expect((await touchstone('prompts', 'pull', '--folder', folder)).code).toBe(0)
    expect(readdirSync(folder).sort()).toEqual(names.map((name: string) => `${name}.json`).sort())
  })

  it.each([
    ['an unknown prompt', ['pull', 'gone'], 3, 'There is no prompt "gone".'],
    ['an unknown commit', ['pull', 'joke:00000000'], 3, 'Failed to pull prompt commit'],
    ['a missing folder', ['push', '/no/such'], 2, 'There is no file or folder /no/such.'],
    ['a file that is not a prompt', ['push', import.meta.filename, '--yes'], 2, 'is not a valid prompt name'],
  ])('refuse %s', async (_, args, code, stderr) => {
    const answer = await touchstone('prompts', ...args)
    expect(answer).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(stderr) })
  })
})
