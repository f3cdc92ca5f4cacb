import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeProvider, startFakeProvider } from './support/fake-provider.ts'
import { type SharedServer, shareServer } from './support/share-server.ts'

const folder = fileURLToPath(new URL('../examples', import.meta.url))
const python = process.env.TOUCHSTONE_TEST_PYTHON ?? fileURLToPath(new URL('../.venv/bin/python', import.meta.url))

let server: SharedServer
let provider: FakeProvider
beforeAll(async () => {
  ;[server, provider] = await Promise.all([shareServer(), startFakeProvider()])
})
afterAll(async () => {
  await Promise.all([provider?.close(), server?.stop()])
})

type Counted = { example_count: number; session_count: number }

/** Runs an example as in its README and returns the names of the recorded runs, parents first. */
async function tracedBy(project: string, command: string, args: readonly string[], prefix: string, endpoint: string) {
  const model = { MODEL: 'fake-model', OPENAI_API_KEY: 'none', OPENAI_BASE_URL: provider.url }
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...model }
  const settings = { TRACING: 'true', ENDPOINT: `${server.url}${endpoint}`, PROJECT: project, API_KEY: 'any' }
  const named = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`${prefix}_${name}`, value]))
  // From its own folder, where its own package.json decides what it imports.
  // Not synchronously: the provider and the proxy of the workspace are in this process.
  await promisify(execFile)(command, args, { env: { ...env, ...named }, cwd: folder })

  const [found] = (await (await fetch(`${server.url}/sessions?name=${project}`)).json()) as { id: string }[]
  const body = JSON.stringify({ session: [found!.id], order: 'asc', select: ['dotted_order', 'status'] })
  const answer = await fetch(`${server.url}/runs/query`, { method: 'POST', body })
  const { runs } = (await answer.json()) as { runs: { name: string; dotted_order: string; status: string }[] }
  expect(new Set(runs.map((run) => run.status))).toEqual(new Set(['success']))
  return runs.sort((a, b) => (a.dotted_order < b.dotted_order ? -1 : 1)).map((run) => run.name)
}

describe('the examples', () => {
  it('trace a chain with our SDK', async () => {
    const args = ['--conditions=touchstone:source', '--import=tsx', 'trace-a-chain/src/main.ts']

    expect(await tracedBy('ours', process.execPath, args, 'TOUCHSTONE', '')).toEqual(['answer', 'search', 'model'])
  })

  it.each([
    ['ai-sdk', ['openai.chat', 'openai.chat', 'weather', 'openai.chat']],
    [
      'openai-agents',
      ['Agent workflow', 'Agent workflow', 'Assistant', 'turn 1', 'response', 'weather', 'turn 2', 'response'],
    ],
    ['langchain', ['answer', 'RunnableSequence', 'look', 'ChatOpenAI']],
    ['opentelemetry', ['answer', 'search']],
  ])('trace %s with our SDK', async (name, expected) => {
    const args = ['--conditions=touchstone:source', '--import=tsx', `trace-frameworks/src/${name}.ts`]

    expect(await tracedBy(name, process.execPath, args, 'TOUCHSTONE', '')).toEqual(expected)
  })

  it('evaluate a function over a dataset with our SDK', async () => {
    const args = ['--conditions=touchstone:source', '--import=tsx', 'evaluate-a-function/src/main.ts']
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, TOUCHSTONE_ENDPOINT: server.url }

    // Twice: the second time it finds its dataset.
    for (const experiments of [2, 4]) {
      const { stdout: output } = await promisify(execFile)(process.execPath, args, { env, cwd: folder })

      expect(output).toMatch(
        /^more keywords-[0-9a-f]{8} sorts 4 mails: http.*compare\?selectedSessions=[0-9a-f-]{36}\n$/,
      )
      const [dataset] = (await (await fetch(`${server.url}/datasets?name=support%20mails`)).json()) as Counted[]
      expect(dataset).toMatchObject({ example_count: 4, session_count: experiments })
    }
  })

  it('trace an unchanged program of the public JavaScript client', async () => {
    const names = await tracedBy('js', process.execPath, ['langsmith-javascript/main.mjs'], 'LANGSMITH', '/api/v1')

    expect(names).toEqual(['assay', 'weigh', 'weigh', 'weigh'])
  })

  it.skipIf(!existsSync(python))('trace an unchanged program of the public Python client', async () => {
    const names = await tracedBy('py', python, ['python/trace.py'], 'LANGSMITH', '/api/v1')

    expect(names).toEqual(['assay', 'weigh', 'weigh', 'weigh'])
  })
})
