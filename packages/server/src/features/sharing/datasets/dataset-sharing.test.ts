import { contract, mountedPaths, timeOfEpochMs, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../../../storage/relational/port.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

const { datasetSharing, datasets, examples, projects, runs } = contract
const NOT_FOUND = { detail: 'Shared dataset not found' }
const PLACEHOLDER = { 'x-api-key': 'placeholder' }

describe.each(relationalEngines(import.meta.filename))('share datasets on %s', (_, open) => {
  let app: StartedApp
  let relational: Relational
  beforeAll(async () => {
    relational = await open()
    app = await startApp({ relational })
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
  })

  async function aDataset(rows: readonly object[] = [{ inputs: { a: 1 } }]) {
    const schema = { type: 'object' }
    const metadata = { secret: 'of the team' }
    const body = { name: `shared ${uuid7()}`, inputs_schema_definition: schema, extra: { metadata } }
    const dataset = (await app.call(datasets.create, { body })).body
    const made = await app.call(examples.createMany, { body: rows.map((row) => ({ dataset_id: dataset.id, ...row })) })
    return { ...dataset, examples: made.body }
  }

  /** An experiment with one run and feedback on both. */
  async function anExperiment(datasetId: string | undefined, exampleId?: string) {
    const body = { name: `experiment ${uuid7()}`, ...(datasetId && { reference_dataset_id: datasetId }) }
    const session = (await app.call(projects.create, { body })).body.id
    const id = uuid7()
    const start_time = timeOfEpochMs(Date.now())
    const dotted_order = start_time.replaceAll(/[-:.]/g, '') + id
    const run = {
      id,
      trace_id: id,
      dotted_order,
      name: 'target',
      run_type: 'chain',
      session_id: session,
      start_time,
      end_time: start_time,
      inputs: { a: 1 },
      outputs: { b: 2 },
      reference_example_id: exampleId,
      extra: { metadata: { thread_id: 'a thread' } },
    }
    expect((await app.call(runs.batch, { body: { post: [run] } })).status).toBe(202)
    const feedback = { key: 'correct', score: 1, run_id: id }
    expect((await app.call(contract.feedback.create, { body: feedback })).status).toBe(200)
    return { session, run: id }
  }

  const share = async (dataset_id: string, share_projects?: boolean) => {
    const query = share_projects === undefined ? {} : { share_projects: String(share_projects) }
    const answer = await app.call(datasetSharing.share, { params: { dataset_id }, query, body: { dataset_id } })
    expect(answer.status, answer.text).toBe(200)
    return answer.body.share_token
  }
  const readDataset = (share_token: string) =>
    app.call(datasetSharing.publicDataset, { params: { share_token }, headers: PLACEHOLDER })

  it('returns one token while it is shared, and another one later', async () => {
    const { id } = await aDataset()
    const params = { dataset_id: id }
    expect((await app.call(datasetSharing.readShare, { params })).text).toBe('null')
    const first = await share(id)
    expect(await share(id, true)).toBe(first)
    expect((await app.call(datasetSharing.readShare, { params })).body).toEqual({ dataset_id: id, share_token: first })

    expect((await app.call(datasetSharing.unshare, { params })).text).toBe('null')
    expect(await readDataset(first)).toMatchObject({ status: 404, body: NOT_FOUND })
    expect(await share(id)).not.toBe(first)
    expect((await app.call(datasetSharing.share, { params: { dataset_id: uuid7() } })).status).toBe(404)
  })

  it('shows the dataset and its examples without private fields', async () => {
    const dataset = await aDataset([
      { inputs: { a: 1 }, outputs: { b: 1 }, metadata: { level: 1 }, source_run_id: uuid7() },
      { inputs: { a: 2 }, metadata: { level: 2 } },
    ])
    const share_token = await share(dataset.id)
    const shown = await readDataset(share_token)
    expect(shown.status).toBe(200)
    expect(shown.body).toEqual({
      id: dataset.id,
      name: dataset.name,
      description: null,
      created_at: dataset.created_at,
      data_type: 'kv',
      inputs_schema_definition: { type: 'object' },
      outputs_schema_definition: null,
      transformations: null,
      externally_managed: false,
      example_count: 2,
      baseline_experiment_id: null,
    })

    const list = (query: Record<string, string> = {}) =>
      app.call(datasetSharing.publicExamples, { params: { share_token }, query })
    const all = await list()
    expect(all.body.map(({ inputs }) => inputs)).toEqual([{ a: 1 }, { a: 2 }])
    expect(all.body[0]).toMatchObject({ attachment_urls: {}, metadata: { level: 1, dataset_split: ['base'] } })
    expect(all.text).not.toContain('source_run_id')
    expect((await list({ filter: 'eq(metadata.level, 2)' })).body).toHaveLength(1)
    expect((await list({ limit: '1', offset: '1' })).body).toMatchObject([{ inputs: { a: 2 } }])
    expect((await list({ offset: '2' })).body).toEqual([])
    const count = await app.call(datasetSharing.publicExampleCount, { params: { share_token } })
    expect(count.body).toBe(2)
  })

  it('shows attachments to readers without a key', async () => {
    const { id } = await aDataset()
    const example = crypto.randomUUID()
    const form = new FormData()
    form.append(example, new Blob(['{}']))
    form.append(`${example}.inputs`, new Blob(['{"a":1}']))
    form.append(`${example}.attachment.note.txt`, new Blob(['hello'], { type: 'text/plain' }))
    expect((await app.fetch(`/v1/platform/datasets/${id}/examples`, { method: 'POST', body: form })).status).toBe(201)
    const share_token = await share(id)
    const { body } = await app.call(datasetSharing.publicExamples, { params: { share_token }, query: { id: example } })
    const url = body[0]!.attachment_urls!['attachment.note.txt']!.presigned_url
    expect(await (await fetch(url)).text()).toBe('hello')
  })

  it('gives no access to other data of the workspace for any ids', async () => {
    const shared = await aDataset()
    const other = await aDataset([{ inputs: { secret: 'elsewhere' } }])
    const mine = await anExperiment(shared.id, shared.examples[0]!.id)
    const theirs = await anExperiment(other.id, other.examples[0]!.id)
    const plain = await anExperiment(undefined)
    const share_token = await share(shared.id, true)
    const params = { share_token }
    const everything = [mine, theirs, plain]
    const sessions = everything.map(({ session }) => session)

    const foreign = { id: other.examples[0]!.id, dataset: other.id }
    expect((await app.call(datasetSharing.publicExamples, { params, query: foreign })).body).toEqual([])
    expect((await app.call(datasetSharing.publicExampleCount, { params, query: foreign })).body).toBe(0)

    const listed = await app.call(datasetSharing.publicSessions, {
      params,
      query: { id: sessions, reference_dataset: [other.id], reference_free: 'true' },
    })
    expect(listed.body.map(({ id }) => id)).toEqual([mine.session])
    expect(listed.text).not.toContain('tenant_id')
    const bulk = await app.call(datasetSharing.publicSessionsBulk, { query: { share_tokens: [share_token, uuid7()] } })
    expect(bulk.body.map(({ id }) => id)).toEqual([mine.session])

    const runsOf = async (body: object) => (await app.call(datasetSharing.publicRuns, { params, body })).body.runs
    const ids = everything.map(({ run }) => run)
    expect((await runsOf({})).map(({ id }) => id)).toEqual([mine.run])
    expect((await runsOf({ session: sessions, id: ids })).map(({ id }) => id)).toEqual([mine.run])
    for (const { session, run } of [theirs, plain]) {
      for (const query of [{ session: [session] }, { id: [run] }, { trace: run }, { session: [session], trace: run }]) {
        expect(await runsOf(query)).toEqual([])
      }
      const one = await app.call(datasetSharing.publicRun, { params: { share_token, run_id: run } })
      expect(one).toMatchObject({ status: 404, body: { detail: 'Run not found' } })
      const figures = await app.call(datasetSharing.publicRunStats, {
        params,
        body: { session: [session], reference_dataset_id: other.id },
      })
      expect(figures.body).toMatchObject({ run_count: 0 })
    }

    const ofIds = await app.call(datasetSharing.publicRunStats, { params, body: { id: ids } })
    expect(ofIds.body).toMatchObject({ run_count: 1 })
    const ofOthers = await app.call(datasetSharing.publicRunStats, { params, body: { id: [theirs.run, plain.run] } })
    expect(ofOthers.body).toMatchObject({ run_count: 0 })

    const feedback = (query: Record<string, string | string[]>) =>
      app.call(datasetSharing.publicFeedback, { params, query })
    expect((await feedback({ run: ids })).body.map(({ run_id }) => run_id)).toEqual([mine.run])
    expect((await feedback({ session: [theirs.session, plain.session] })).body).toEqual([])
  })

  it('shows runs of experiments only when they are shared, with public fields only', async () => {
    const dataset = await aDataset()
    const { session, run } = await anExperiment(dataset.id, dataset.examples[0]!.id)
    const share_token = await share(dataset.id)
    const params = { share_token }
    const seen = async () => ({
      sessions: (await app.call(datasetSharing.publicSessions, { params })).body.map(({ id }) => id),
      runs: (await app.call(datasetSharing.publicRuns, { params, body: { session: [session] } })).body.runs.length,
      run: (await app.call(datasetSharing.publicRun, { params: { share_token, run_id: run } })).status,
      feedback: (await app.call(datasetSharing.publicFeedback, { params })).body.length,
      count: (await app.call(datasetSharing.publicRunStats, { params, body: {} })).body.run_count,
    })
    const nothing = { sessions: [], runs: 0, run: 404, feedback: 0, count: 0 }
    expect(await seen()).toEqual(nothing)
    await share(dataset.id, true)
    expect(await seen()).toEqual({ sessions: [session], runs: 1, run: 200, feedback: 1, count: 1 })
    await share(dataset.id)
    expect((await seen()).runs).toBe(1) // not said, so it stays

    const shown = await app.call(datasetSharing.publicRun, { params: { share_token, run_id: run } })
    expect(shown.body).toMatchObject({ id: run, session_id: session, inputs: { a: 1 }, outputs: { b: 2 } })
    for (const field of ['app_path', 'share_token', 'thread_id']) expect(shown.body).not.toHaveProperty(field)
    const slim = await app.call(datasetSharing.publicRun, {
      params: { share_token, run_id: run },
      query: { exclude_s3_stored_attributes: 'true' },
    })
    expect(slim.body).not.toHaveProperty('inputs')
    await share(dataset.id, false)
    expect(await seen()).toEqual(nothing)
  })

  it('compares shared experiments only', async () => {
    const dataset = await aDataset()
    const other = await aDataset()
    const example = dataset.examples[0]!.id
    const [one, two] = [await anExperiment(dataset.id, example), await anExperiment(dataset.id, example)]
    const theirs = await anExperiment(other.id, other.examples[0]!.id)
    await app.call(contract.feedback.create, { body: { key: 'level', score: 1, run_id: one.run } })
    await app.call(contract.feedback.create, { body: { key: 'level', score: 2, run_id: two.run } })
    const pair = { experiment_ids: [one.session, two.session], name: 'pair' }
    expect((await app.call(contract.comparativeExperiments.create, { body: pair })).status).toBe(200)
    const params = { share_token: await share(dataset.id) }
    const compare = (session_ids: string[]) =>
      app.call(datasetSharing.publicExampleRuns, { params, body: { session_ids } })
    const deltas = (baseline_session_id: string, comparison: string) =>
      app.call(datasetSharing.publicDeltas, {
        params,
        body: { baseline_session_id, comparison_session_ids: [comparison], feedback_key: 'level' },
      })
    const pairs = () => app.call(datasetSharing.publicComparative, { params })
    const cells = (session_ids: string[]) => app.call(datasetSharing.publicCells, { params, body: { session_ids } })
    const verdicts = (baseline_session_id: string, comparison_session_ids: string[], more: object = {}) => {
      const body = { baseline_session_id, comparison_session_ids, ...more }
      return app.call(datasetSharing.publicStatistics, { params, body })
    }
    const find = (session_ids: string[], text: string) =>
      app.call(datasetSharing.publicSearch, { params, body: { session_ids, text } })
    expect((await compare([one.session])).status).toBe(404)
    expect((await deltas(one.session, two.session)).status).toBe(404)
    expect((await pairs()).body).toEqual([])
    expect((await cells([one.session])).status).toBe(404)
    expect((await find([one.session], 'a')).status).toBe(404)
    expect((await verdicts(one.session, [two.session])).status).toBe(404)

    await share(dataset.id, true)
    const gone = uuid7()
    expect((await compare([gone, one.session])).body).toMatchObject([{ runs: [{ id: one.run }] }])
    expect((await cells([gone, one.session, theirs.session])).body).toMatchObject({
      missing_session_ids: [gone, theirs.session],
      experiments: [{ id: one.session }],
    })
    expect((await find([gone, one.session], 'a')).status).toBe(200)
    const compared = await compare([one.session, two.session])
    expect(compared.body).toMatchObject([
      { id: example, runs: [{ id: one.run }, { id: two.run, session_id: two.session }] },
    ])
    expect(compared.body[0]!.runs[1]!.feedbacks.map(({ key }) => key).sort()).toEqual(['correct', 'level'])
    for (const field of ['app_path', 'source_run_id', 'share_token']) expect(compared.text).not.toContain(`"${field}"`)
    expect((await deltas(one.session, two.session)).body).toEqual({
      feedback_deltas: { [two.session]: { improved_examples: [example], regressed_examples: [] } },
    })
    expect((await pairs()).body).toMatchObject([
      { name: 'pair', experiments_info: [{ id: one.session }, { id: two.session }] },
    ])
    expect((await pairs()).text).not.toContain('tenant_id')
    expect((await compare([one.session, theirs.session])).text).not.toContain(theirs.run)
    expect((await compare([theirs.session])).status).toBe(404)
    expect((await deltas(theirs.session, one.session)).status).toBe(404)
    const columns = (await cells([one.session, two.session])).body
    expect(columns.example_ids).toEqual([example])
    expect(columns.experiments.map(({ id }) => id)).toEqual([one.session, two.session])
    expect((await cells([theirs.session])).status).toBe(404)
    expect((await find([one.session], 'no such text')).body.example_ids).toEqual([])
    expect((await find([theirs.session], 'a')).status).toBe(404)
    const compareKeys = (await verdicts(one.session, [two.session])).body
    expect(compareKeys).toMatchObject({ baseline: { id: one.session }, resamples: 2000 })
    expect(compareKeys.results.map(({ feedback_key, pair_count }) => [feedback_key, pair_count])).toEqual([
      ['correct', 1],
      ['level', 1],
    ])
    for (const [baseline, compared] of [
      [one.session, theirs.session],
      [theirs.session, one.session],
    ] as const) {
      expect((await verdicts(baseline, [compared])).status).toBe(404)
    }
    expect((await verdicts(one.session, [two.session], { resamples: 10_000 })).body.resamples).toBe(2000)
    const many = Array.from({ length: 6 }, () => uuid7())
    expect((await verdicts(one.session, many)).status).toBe(400)
    const sneaky = { session_ids: [one.session], filters: { [theirs.session]: ['eq(name, "target")'] } }
    expect((await app.call(datasetSharing.publicExampleRuns, { params, body: sneaky })).status).toBe(404)
  })

  it('accepts only tokens of datasets', async () => {
    const dataset = await aDataset()
    const { run } = await anExperiment(dataset.id)
    const ofRun = await app.call(contract.sharing.shareRun, { params: { run_id: run }, body: { run_id: run } })
    const ofDataset = await share(dataset.id, true)
    for (const share_token of [ofRun.body.share_token, uuid7(), 'nonsense', '%00']) {
      for (const route of Object.values(datasetSharing)) {
        if (route.access !== 'public' || !route.path.includes('share_token')) continue
        const path = mountedPaths(route)[0]!
          .replace('{share_token}', encodeURIComponent(share_token))
          .replace('{run_id}', run)
        const sessions = {
          session_ids: [uuid7()],
          query: 'x',
          text: 'x',
          feedback_key: 'k',
          baseline_session_id: uuid7(),
        }
        const body = JSON.stringify({ ...sessions, comparison_session_ids: [uuid7()] })
        const answer = await app.fetch(path, route.method === 'GET' ? {} : { method: route.method, body })
        expect({ path, status: answer.status, body: await answer.json() }).toMatchObject({
          path,
          status: 404,
          body: NOT_FOUND,
        })
      }
    }
    const asRun = await app.call(contract.sharing.publicRuns, { params: { share_token: ofDataset } })
    expect(asRun.status).toBe(404)
  })

  it('is listed with all other shares, and ends with them', async () => {
    const dataset = await aDataset()
    const token = await share(dataset.id, true)
    const { entities } = (await app.call(contract.sharing.listShared)).body
    expect(entities.find(({ share_token }) => share_token === token)).toMatchObject({
      type: 'dataset',
      dataset_id: dataset.id,
      dataset_name: dataset.name,
      shares_projects: true,
    })
    await app.call(contract.sharing.unshare, { body: { share_tokens: [token] } })
    expect((await readDataset(token)).status).toBe(404)
    const again = await share(dataset.id)
    await app.call(contract.sharing.unshare, { body: { unshare_all: true } })
    expect((await readDataset(again)).status).toBe(404)
  })

  it('ends with the dataset', async () => {
    const { id } = await aDataset()
    const token = await share(id)
    await app.call(datasets.delete, { params: { dataset_id: id } })
    expect(await readDataset(token)).toMatchObject({ status: 404, body: NOT_FOUND })
  })
})
