import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FaultyProxy, startFaultyProxy } from '../../support/faulty-proxy.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aClient, collect } from '../javascript/a-client.ts'
import { PYTHON_CLIENTS, python, runScript } from '../python/run-script.ts'

let server: SharedServer
beforeAll(async () => {
  if (python !== undefined) server = await shareServer()
})
afterAll(() => server?.stop())

const aName = (word: string) => `${word}-${randomBytes(4).toString('hex')}`
const isMetadataRoute = (path: string) => path.endsWith('/examples/metadata')
type Fields = Record<string, unknown>

describe.skipIf(python === undefined)('the public Python client of November 2026', () => {
  it('sends traces, feedback and links to the project that the two agent variables resolve to', async () => {
    const agent = aName('support')
    const report = await runScript<Fields & { runs: Fields[]; feedback: Fields }>(
      'agent_variables',
      { agent },
      server.url,
      { LANGSMITH_AGENT_ID: agent, LANGSMITH_AGENT_ENVIRONMENT: 'Production' },
    )

    expect(report.runs.map((run) => run.name).sort()).toEqual(['inner', 'outer'])
    expect(report.runs.map((run) => run.session_id)).toEqual([report.project, report.project])
    expect(report.feedback).toMatchObject({ run_id: report.run, session_id: report.project, score: 1 })
    expect(report.url).toContain(`/projects/p/${report.project}/r/${report.run}`)
    expect(report.elsewhere).toBe(0)
  })

  describe('on a server of today, and on one without the newer route of splits', () => {
    let proxies: FaultyProxy[]
    let report: (Fields & { json: unknown[][]; stream: unknown[][]; experiments: Fields; splits: Fields })[]
    beforeAll(async () => {
      proxies = await Promise.all([
        startFaultyProxy(server.url),
        startFaultyProxy(server.url, ({ path }) => (isMetadataRoute(path) ? { status: 405 } : undefined)),
      ])
      report = []
      for (const proxy of proxies)
        report.push(await runScript('november_2026', { project: aName('november') }, proxy.url))
    })
    afterAll(() => Promise.all(proxies.map((proxy) => proxy.close())))

    it('streams the same query items as the JSON pages hold', () => {
      expect(report[0]!.json.map((items) => items.length)).toEqual([5, 5, 1])
      expect(report[0]!.stream).toEqual(report[0]!.json)
    })

    it.each([
      ['adds and removes examples of a split by the newer route', 0, 0],
      ['adds and removes examples of a split by the older route where the newer one is missing', 1, 2],
    ])('%s', (_, at, olderCalls) => {
      const { splits } = report[at]!
      expect(splits.left).toEqual(splits.wanted)
      expect(splits.metadata).toEqual([{ kept: 1, dataset_split: expect.arrayContaining(['base', 'test']) }])
      const paths = proxies[at]!.seen.map(({ path }) => path)
      expect(paths.filter(isMetadataRoute)).toHaveLength(2)
      expect(paths.filter((path) => path.endsWith('/splits'))).toHaveLength(olderCalls)
    })

    it('clears a comment with None and keeps the score', () => {
      expect(report[0]!.cleared).toEqual({ score: 0.5, comment: null })
    })

    it('judges an experiment again from the second wire version, with its files, and reads it as a table', () => {
      const rows = [0, 1, 2].map((n) => ({ n, said: `note ${n}`, scores: [1, 1, 1] }))
      const { later, table } = report[0]!.experiments as { later: string[]; table: { n: number }[] }
      expect(later).toEqual(['later', 'later', 'later'])
      expect(table.sort((a, b) => a.n - b.n)).toEqual(rows)
      expect(proxies[0]!.seen.map(({ path }) => path)).toContain('/api/v2/runs/query')
    })
  })

  it('comes to the end of the list of evaluators', async () => {
    expect(await runScript('evaluators', { limit: 1 }, server.url)).toEqual([])
  })
})

describe.skipIf(python === undefined)('a server that stores what it answers 500 to,', () => {
  it.each([
    ...PYTHON_CLIENTS.map((client) => ({ times: 'once', failures: 1, ...client })),
    { times: 'eleven times, until the last request that the client makes', failures: 11, ...PYTHON_CLIENTS[0]! },
  ])('$times has each run of client $version once', async ({ env, failures }) => {
    let left = failures
    const proxy = await startFaultyProxy(server.url, ({ path }) =>
      path.endsWith('/runs/multipart') && left-- > 0 ? { status: 500, afterStoring: true } : undefined,
    )
    const project = aName('once')

    await runScript('stored_once', { project, questions: ['a', 'b', 'c'] }, proxy.url, env)
    await proxy.close()

    expect(left).toBeLessThanOrEqual(0)
    const client = aClient(server.url)
    const runs = await collect(client.listRuns({ projectName: project }))
    expect(runs.map((run) => (run.outputs as { answer: string }).answer).sort()).toEqual(['a', 'b', 'c'])
    expect(await client.getRunStats({ projectNames: [project] })).toMatchObject({ run_count: 3, error_rate: 0 })
  })
})
