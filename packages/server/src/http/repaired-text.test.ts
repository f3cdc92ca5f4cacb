import { contract, REPAIRED_HEADER, type Route, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const HALF = '\ud83e'
const REPAIRED = '\ufffd'
const MANIFEST = {
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'],
  kwargs: { input_variables: [], template: `Hi ${HALF}`, template_format: 'f-string' },
}

type Request = readonly [what: string, route: Route, body: object, repaired: string]

const REQUESTS: readonly Request[] = [
  ['a dataset', contract.datasets.create, { name: `set ${HALF}`, description: '\0' }, 'name, description'],
  ['a project', contract.projects.create, { name: `project ${HALF}`, description: HALF }, 'name, description'],
  [
    'a queue',
    contract.annotationQueues.create,
    { name: `queue ${HALF}`, description: HALF, rubric_instructions: `Judge ${HALF}` },
    'name, description, rubric_instructions',
  ],
  [
    'a prompt',
    contract.prompts.create,
    { repo_handle: 'greeting', is_public: false, description: HALF, readme: '\0', tags: ['a', HALF] },
    'description, readme, tags.1',
  ],
  ['a workspace', contract.workspaces.rename, { display_name: `Acme ${HALF}` }, 'display_name'],
  [
    'a saved view',
    contract.savedViews.create,
    { name: HALF, state: { filter: `eq(name, "${HALF}")` } },
    'name, state.filter',
  ],
  [
    'a dashboard',
    contract.dashboards.create,
    { name: HALF, charts: [{ id: 'a', metric: 'runs', title: `Runs ${HALF}` }] },
    'name, charts.0.title',
  ],
  [
    'a model provider',
    contract.modelProviders.create,
    { name: HALF, kind: 'openai-chat', base_url: 'https://api.example.com/v1' },
    'name',
  ],
  [
    'a saved evaluator',
    contract.savedEvaluators.create,
    {
      name: HALF,
      description: HALF,
      note: HALF,
      definition: { kind: 'javascript', source: `const evaluate = () => "${HALF}" ? 1 : 0`, keys: ['k'] },
    },
    'name, description, definition.source, note',
  ],
  [
    'an evaluator of a public client',
    contract.evaluators.create,
    { name: HALF, type: 'code', code_evaluator: { code: `# ${HALF}`, language: 'python' } },
    'name, code_evaluator.code',
  ],
  ['an agent', contract.agents.create, { id: 'support', name: HALF }, 'name'],
  [
    'a price',
    contract.modelPrices.create,
    { name: HALF, match_pattern: '^mine$', prompt_cost: 1, completion_cost: 1 },
    'name',
  ],
]

describe('a text that was cut inside of an emoji, or holds NUL', () => {
  it.each(REQUESTS)('does not cost %s', async (_what, route, body, repaired) => {
    const { status, text, headers } = await app.call(route, { body })
    expect([status < 300, text]).toEqual([true, expect.stringContaining(REPAIRED)])
    expect(headers.get(REPAIRED_HEADER)?.split(', ').sort()).toEqual(repaired.split(', ').sort())
  })

  it('does not cost a commit, whose manifest keeps it as it was sent', async () => {
    await app.call(contract.prompts.create, { body: { repo_handle: 'kept', is_public: false } })
    const params = { owner: '-', repo: 'kept' }
    const body = { manifest: MANIFEST, description: HALF }
    const { status, headers } = await app.call(contract.promptCommits.create, { params, body })
    expect([status, headers.get(REPAIRED_HEADER)]).toEqual([201, 'description'])
    const pulled = await app.call(contract.promptCommits.read, { params: { ...params, commit: 'latest' } })
    expect(pulled.text).toContain('Hi \\ud83e')
  })

  it('is found again by the text as it was sent', async () => {
    const { body } = await app.call(contract.datasets.create, { body: { name: `found ${HALF}` } })
    const found = await app.call(contract.datasets.list, { query: { name: `found ${HALF}` } })
    expect(found.body.map(({ id }) => id)).toEqual([body.id])
    const part = await app.call(contract.datasets.list, { query: { name_contains: HALF } })
    expect(part.body.map(({ id }) => id)).toContain(body.id)
  })

  it('is not mentioned where nothing is changed', async () => {
    const { headers } = await app.call(contract.datasets.create, { body: { name: `whole 🤖 ${uuid7()}` } })
    expect(headers.get(REPAIRED_HEADER)).toBeNull()
  })
})

describe('a number that JSON does not have', () => {
  it.each([
    ['a small body', ''],
    ['a large body', 'x'.repeat(300_000)],
  ])('becomes null in %s, and the response names the field', async (_size, padding) => {
    const name = `numbers ${uuid7()}`
    const { body: dataset } = await app.call(contract.datasets.create, { body: { name } })
    const { status, headers, text } = await app.call(contract.examples.create, {
      body: `{"dataset_id":"${dataset.id}","inputs":{"x":NaN,"big":12345678901234567890,"padding":"${padding} NaN"},"outputs":{"y":-Infinity}}`,
    })
    expect([status, headers.get(REPAIRED_HEADER)]).toEqual([200, 'inputs, outputs'])
    expect(text).toContain('{"x":null,"big":12345678901234567890,')
    expect(text).toContain(`${padding} NaN`)
  })

  it('leaves the position of another fault as it was sent', async () => {
    const { status, text } = await app.call(contract.datasets.create, { body: '{"name":"a","extra":{"n":NaN},}' })
    expect(status).toBe(400)
    expect(text).toContain('not valid JSON at position')
  })
})

// The first key ends open access, so this is last.
it('a broken description does not cost a key', async () => {
  const { body, headers } = await app.call(contract.apiKeys.create, { body: { description: `CI ${HALF}` } })
  expect([body.description, headers.get(REPAIRED_HEADER)]).toEqual([`CI ${REPAIRED}`, 'description'])
})
