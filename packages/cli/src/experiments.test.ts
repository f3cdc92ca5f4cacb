import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Terminal } from './testing/terminal.ts'

let terminal: Terminal
beforeAll(async () => {
  terminal = await Terminal.open()
  await recordExperiments(new Client({ apiUrl: `${terminal.endpoint}/api/v1` }))
}, 90_000)
afterAll(() => terminal?.close())

const touchstone = (...args: string[]) => terminal.run(...args)
const EXAMPLES = 30

/** Over the same examples, `before` is right on the first 24, `after` on the first 6. */
async function recordExperiments(client: Client): Promise<void> {
  const { id } = await client.createDataset('exam')
  await client.createDataset('other exam')
  const rows = Array.from({ length: EXAMPLES }, (_, at) => ({ dataset_id: id, inputs: { at } }))
  const examples = await client.createExamples(rows)
  await recordExperiment(client, 'before', id, examples, 24)
  await recordExperiment(client, 'after', id, examples, 6)
  await client.createProject({ projectName: 'no experiment' })
}

async function recordExperiment(
  client: Client,
  projectName: string,
  referenceDatasetId: string,
  examples: readonly { id: string }[],
  right: number,
): Promise<void> {
  await client.createProject({ projectName, referenceDatasetId })
  await Promise.all(
    examples.map(async ({ id: reference_example_id }, at) => {
      const id = crypto.randomUUID()
      const start_time = new Date(Date.now() - 1000).toISOString()
      const dotted_order = `${start_time.replaceAll(/[-:.]|Z$/g, '')}000Z${id}`
      const end_time = new Date().toISOString()
      const run = {
        id,
        trace_id: id,
        dotted_order,
        start_time,
        end_time,
        name: 'answer',
        run_type: 'chain',
        inputs: {},
      }
      await client.createRun({ ...run, outputs: {}, project_name: projectName, reference_example_id })
      await client.createFeedback(id, 'correctness', { score: at < right ? 1 : 0 })
      await client.createFeedback(id, 'tone', { score: 0.5 })
    }),
  )
  await client.flush()
}

describe('experiments on the command line', () => {
  it('are listed with their scores', async () => {
    const list = await touchstone('experiments', 'list', 'exam')
    expect(list.stdout).toMatch(/NAME +RUNS +ERRORS +P50 +correctness +tone +STARTED/)
    expect(list.stdout).toMatch(/before +30 +0\.0 % +\S+ s +0\.8 +0\.5/)
    expect(list.stdout).toMatch(/after +30 +0\.0 % +\S+ s +0\.2 +0\.5/)
  })

  it('are compared, with a verdict and a link', async () => {
    const answer = await touchstone('experiments', 'compare', 'before', 'after')
    expect(answer.code).toBe(0)
    expect(answer.stdout).toMatch(/correctness +0\.8 +0\.2 +-0\.6 +-\S+ … -\S+ +\S+ +30 +0 +18 +worse/)
    expect(answer.stdout).toMatch(/tone +0\.5 +0\.5 +0 .* no difference shown/)
    expect(answer.stderr).toMatch(
      /\/o\/[0-9a-f-]{36}\/datasets\/[0-9a-f-]{36}\/compare\?selectedSessions=[0-9a-f-]{36},/,
    )
  })

  it('exit with code 7 when a condition holds, and still print the figures', async () => {
    const conditions = ['correctness.mean<0.8', 'correctness.verdict=worse', 'tone.mean<0.5', 'error_rate>5%']
    const flags = conditions.flatMap((condition) => ['--fail-if', condition])
    const answer = await touchstone('experiments', 'compare', 'before', 'after', '--json', ...flags)
    expect(answer.code).toBe(7)
    expect(answer.json()).toMatchObject({
      statistics: { results: [{ feedback_key: 'correctness', verdict: 'worse' }, { feedback_key: 'tone' }] },
      failures: [
        { condition: 'correctness.mean<0.8', actual: 0.2 },
        { condition: 'correctness.verdict=worse', actual: 'worse' },
      ],
      url: expect.stringContaining('/compare?'),
    })
    expect(answer.stderr).toContain('correctness.mean<0.8: it is 0.2')
    const passing = await touchstone(
      'experiments',
      'compare',
      'after',
      'before',
      '--fail-if',
      'correctness.verdict!=better',
    )
    expect(passing.code).toBe(0)
  })

  it('are compared by selected keys and found by id', async () => {
    const { statistics } = (
      await touchstone('experiments', 'compare', 'before', 'after', '--key', 'tone', '--json')
    ).json()
    expect(statistics.results).toMatchObject([{ feedback_key: 'tone' }])
    const ids = [statistics.baseline.id, statistics.comparisons[0].id]
    expect((await touchstone('experiments', 'compare', ...ids)).code).toBe(0)
  })

  it('fail for a figure without a value', async () => {
    const answer = await touchstone('experiments', 'compare', 'before', 'after', '--fail-if', 'speed.mean<1')
    expect(answer).toMatchObject({ code: 7, stderr: expect.stringContaining('there is no figure speed.mean') })
  })

  it.each([
    ['an invalid condition', ['before', 'after', '--fail-if', 'good'], 2],
    ['an invalid confidence', ['before', 'after', '--confidence', '2'], 2],
    ['a project without a dataset', ['before', 'no experiment'], 2],
    ['an unknown experiment', ['before', 'nope'], 3],
    ['one experiment', ['before'], 2],
  ])('refuse %s', async (_, args, code) => {
    expect(await touchstone('experiments', 'compare', ...args)).toMatchObject({ code, stdout: '' })
  })

  it('explain the grammar of conditions', async () => {
    const { stdout } = await touchstone('experiments', 'compare', '--help')
    expect(stdout).toContain('correctness.verdict=worse')
    expect(stdout).toContain('--fail-if CONDITION')
    expect((await touchstone('--help')).stdout).toContain('7  A --fail-if condition holds.')
  })
})
