import { randomUUID } from 'node:crypto'
import { contract, decodeTraceRuns, mountedPaths, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { literal, sql, uuid } from '../../storage/analytics/sql.ts'
import type { Relational } from '../../storage/relational/port.ts'
import { concurrentRelationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { sharing, runs } = contract
const NOT_FOUND = { detail: 'Share token not found' }

/** A run at a path: root > middle > leaf, with a sibling beside the middle. */
function aTree(project: string) {
  const ids = { root: uuid7(), middle: uuid7(), leaf: uuid7(), sibling: uuid7() }
  const segment = (second: number, id: string) => `20260203T0405${String(second).padStart(2, '0')}000000Z${id}`
  const path = {
    root: segment(1, ids.root),
    middle: `${segment(1, ids.root)}.${segment(2, ids.middle)}`,
    leaf: `${segment(1, ids.root)}.${segment(2, ids.middle)}.${segment(3, ids.leaf)}`,
    sibling: `${segment(1, ids.root)}.${segment(4, ids.sibling)}`,
  }
  const parents = { root: null, middle: ids.root, leaf: ids.middle, sibling: ids.root }
  const seconds = { root: 1, middle: 2, leaf: 3, sibling: 4 }
  const post = (Object.keys(ids) as (keyof typeof ids)[]).map((name) => ({
    id: ids[name],
    trace_id: ids.root,
    parent_run_id: parents[name],
    dotted_order: path[name],
    name,
    run_type: name === 'leaf' ? 'llm' : 'chain',
    session_name: project,
    start_time: `2026-02-03T04:05:0${seconds[name]}Z`,
    end_time: `2026-02-03T04:05:0${seconds[name] + 1}Z`,
    inputs: { of: name },
    outputs: { secret: name },
    extra: { metadata: { thread_id: 'a thread' } },
  }))
  return { ids, post }
}

describe.each(concurrentRelationalEngines)('sharing on %s', (_name, open) => {
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

  async function givenTree(project = `shared-${uuid7()}`) {
    const { ids, post } = aTree(project)
    expect((await app.call(runs.batch, { body: { post } })).status).toBe(202)
    return ids
  }
  const share = (run_id: string, share_token?: string) =>
    app.call(sharing.shareRun, { params: { run_id }, body: { run_id, share_token } })
  const tokenOf = async (run_id: string) => (await share(run_id, randomUUID())).body.share_token
  const read = (share_token: string) => app.call(sharing.publicRun, { params: { share_token } })
  const readById = (share_token: string, run_id: string) =>
    app.call(sharing.publicRunById, { params: { share_token, run_id } })
  const list = (share_token: string, id: string[] = []) =>
    app.call(sharing.publicRuns, { params: { share_token }, query: { id } })

  describe('the token of a run', () => {
    it('is the proposed one, with any content type', async () => {
      const { root } = await givenTree()
      const share_token = randomUUID()
      const answer = await app.call(sharing.shareRun, {
        params: { run_id: root },
        headers: { 'content-type': 'text/plain;charset=UTF-8' },
        body: JSON.stringify({ run_id: root, share_token }),
      })
      expect(answer).toMatchObject({ status: 200, body: { run_id: root, share_token } })
    })

    it('stays the same when the run is shared again', async () => {
      const { root } = await givenTree()
      const first = await tokenOf(root)
      const tokens = await Promise.all(Array.from({ length: 5 }, () => tokenOf(root)))
      expect(new Set(tokens)).toEqual(new Set([first]))
    })

    it('is the same for concurrent requests', async () => {
      const { root } = await givenTree()
      const tokens = await Promise.all(Array.from({ length: 10 }, () => tokenOf(root)))
      expect(new Set(tokens).size).toBe(1)
    })

    it.each([
      ['none was proposed', undefined],
      ['the proposed one is no UUID', 'guess me'],
      ['the proposed one can be guessed', '00000000-0000-0000-0000-000000000000'],
      ['the proposed one is made of the time', uuid7()],
    ])('is generated when %s', async (_, proposed) => {
      const { root } = await givenTree()
      const { body } = await share(root, proposed)
      expect(body.share_token).not.toBe(proposed)
      expect(body.share_token).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    })

    it('is generated when another run has the proposed one', async () => {
      const [one, other] = [await givenTree(), await givenTree()]
      const token = await tokenOf(one.root)
      expect((await share(other.root, token)).body.share_token).not.toBe(token)
      expect((await read(token)).body.id).toBe(one.root)
    })

    it('is null while the run is not shared', async () => {
      const { root } = await givenTree()
      const params = { run_id: root }
      expect(await app.call(sharing.readRunShare, { params })).toMatchObject({ status: 200, text: 'null' })
      const share_token = await tokenOf(root)
      expect((await app.call(sharing.readRunShare, { params })).body).toEqual({ run_id: root, share_token })
    })

    it('is not created for an unknown run', async () => {
      const answer = await share(uuid7())
      expect(answer.status).toBe(404)
      expect(answer.body).toMatchObject({ detail: 'Run not found' })
      expect((await share('nope')).status).toBe(400)
    })

    it('is a field of the run when it is selected, and of no other run', async () => {
      const { root, leaf } = await givenTree()
      const share_token = await tokenOf(root)
      const { body } = await app.call(runs.query, { body: { id: [root, leaf], select: ['share_token'], order: 'asc' } })
      expect(body.runs.map((run) => run.share_token)).toEqual([share_token, null])
      expect((await app.call(runs.read, { params: { run_id: root } })).body.share_token).toBe(share_token)
    })
  })

  describe('end a share', () => {
    it('takes effect immediately and can be repeated', async () => {
      const { root } = await givenTree()
      const token = await tokenOf(root)
      const params = { run_id: root }
      expect((await app.call(sharing.unshareRun, { params })).status).toBe(200)
      expect((await app.call(sharing.unshareRun, { params })).status).toBe(200)
      expect(await read(token)).toMatchObject({ status: 404, body: NOT_FOUND })
      expect(await tokenOf(root)).not.toBe(token)
    })

    it('responds to a revoked token like to an unknown and an invalid one', async () => {
      const { root } = await givenTree()
      const revoked = await tokenOf(root)
      await app.call(sharing.unshareRun, { params: { run_id: root } })
      const withoutId = (text: string) => text.replace(/"request_id":"[^"]*"/, '')
      for (const route of [
        sharing.publicRun,
        sharing.publicRunById,
        sharing.publicRuns,
        sharing.publicRunQuery,
        sharing.publicTraceRuns,
        sharing.publicTraceRunColumns,
        sharing.publicTraceRunsAtOldPath,
      ]) {
        const answers = await Promise.all(
          [revoked, randomUUID(), 'nope'].map((share_token) =>
            app.call(route, { params: { share_token, run_id: root }, ...(route.method === 'POST' && { body: {} }) }),
          ),
        )
        expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
        expect(answers[0]!.body).toMatchObject(NOT_FOUND)
        expect(new Set(answers.map(({ text }) => withoutId(text))).size).toBe(1)
      }
    })

    it('happens when the run is deleted', async () => {
      const { root, leaf } = await givenTree()
      const [token, ofLeaf] = [await tokenOf(root), await tokenOf(leaf)]
      const { session_id } = (await app.call(runs.read, { params: { run_id: root } })).body
      await app.call(contract.runDeletions.deleteTraces, { body: { session_id, trace_ids: [root] } })
      for (const one of [token, ofLeaf]) expect(await read(one)).toMatchObject({ status: 404, body: NOT_FOUND })
      expect((await share(root)).status).toBe(404)
      expect((await app.call(sharing.readRunShare, { params: { run_id: leaf } })).body).toBeNull()
      const { body } = await app.call(sharing.listShared)
      expect(body.entities.map((entity) => entity.share_token)).not.toContain(token)
    })

    it('happens when the project is deleted', async () => {
      const { root } = await givenTree()
      const token = await tokenOf(root)
      const { session_id } = (await app.call(runs.read, { params: { run_id: root } })).body
      await app.call(contract.projects.delete, { params: { session_id } })
      expect(await read(token)).toMatchObject({ status: 404, body: NOT_FOUND })
      const { body } = await app.call(sharing.listShared)
      expect(body.entities.map((entity) => entity.share_token)).not.toContain(token)
    })
  })

  describe('a public read', () => {
    it('returns the run in every form that clients request', async () => {
      const { root, middle, leaf, sibling } = await givenTree()
      const token = await tokenOf(root)
      const all = [root, middle, leaf, sibling]
      expect((await read(token)).body).toMatchObject({ id: root, inputs: { of: 'root' }, status: 'success' })
      expect((await readById(token, leaf)).body).toMatchObject({ id: leaf, outputs: { secret: 'leaf' } })
      expect((await list(token)).body.map((run) => run.id)).toEqual(all)
      expect((await list(token, [leaf, middle])).body.map((run) => run.id)).toEqual([middle, leaf])
      const query = (body: unknown) => app.call(sharing.publicRunQuery, { params: { share_token: token }, body })
      expect((await query({})).body.runs.map((run) => run.id)).toEqual(all)
      expect((await query({})).body.cursors.next).toBeNull()
      expect((await query({ id: [leaf] })).body.runs.map((run) => run.id)).toEqual([leaf])
      expect((await query({ run_type: 'llm', select: ['id'] })).body.runs[0]).not.toHaveProperty('inputs')
    })

    it('supports every condition of the query', async () => {
      const { root, middle, leaf, sibling } = await givenTree()
      const token = await tokenOf(root)
      const ids = async (body: object) => {
        const answer = await app.call(sharing.publicRunQuery, { params: { share_token: token }, body })
        expect(answer.status, answer.text).toBe(200)
        return answer.body.runs.map((run) => run.id)
      }
      const all = [root, middle, leaf, sibling]
      expect(await ids({ filter: 'eq(name, "nope")' })).toEqual([])
      expect(await ids({ filter: 'eq(name, "leaf")' })).toEqual([leaf])
      expect(await ids({ filter: 'in(name, ["leaf", "middle"])' })).toEqual([middle, leaf])
      expect(await ids({ search_filter: 'eq(outputs.secret, "sibling")' })).toEqual([sibling])
      expect(await ids({ filter: 'neq(name, "leaf")', search_filter: 'neq(name, "root")' })).toEqual([middle, sibling])
      expect(await ids({ filter: ' ', search_filter: null })).toEqual(all)
      expect(await ids({ query: 'sibling' })).toEqual([sibling])
      expect(await ids({ parent_run: middle })).toEqual([leaf])
      expect(await ids({ execution_order: 1 })).toEqual([root])
      expect(await ids({ is_root: false, run_type: 'LLM' })).toEqual([leaf])
      expect(await ids({ error: true })).toEqual([])
      expect(await ids({ start_time: '2026-02-03T04:05:03Z', end_time: '2026-02-03T04:05:03Z' })).toEqual([leaf])
      expect(await ids({ id: [leaf, root], filter: 'eq(run_type, "llm")' })).toEqual([leaf])
      expect(await ids({ filter: 'gt(latency, 0.5)', order: 'desc' })).toEqual([...all].reverse())
    })

    it('rejects filters on private fields and large filters', async () => {
      const { root } = await givenTree()
      const params = { share_token: await tokenOf(root) }
      for (const [filter, reason] of [
        ['eq(thread_id, "a thread")', 'is no field'],
        ['eq(in_dataset, true)', 'is no field'],
        [`eq(session_id, "${root}")`, 'is no field'],
        [`in(name, [${Array(101).fill('"x"').join(',')}])`, 'found 101 values in lists, at most 100'],
        [`or(${Array(31).fill('eq(name, "x")').join(',')})`, 'found 31 clauses, at most 30'],
      ] as const) {
        for (const field of ['filter', 'search_filter']) {
          const answer = await app.call(sharing.publicRunQuery, { params, body: { [field]: filter } })
          expect(answer.status).toBe(400)
          expect(answer.text).toContain(reason)
        }
      }
    })

    it('supports the URL without its question mark, under every prefix', async () => {
      const { root, leaf, middle } = await givenTree()
      const token = await tokenOf(root)
      for (const prefix of ['', '/v1', '/api', '/api/v1']) {
        const path = `${prefix}/public/${token}/runsshare_token=${token}`
        const some = (await (await app.fetch(`${path}&id=${leaf}&id=${middle}`)).json()) as { id: string }[]
        expect(some.map((run) => run.id)).toEqual([middle, leaf])
        expect(await (await app.fetch(path)).json()).toHaveLength(4)
      }
      expect((await app.fetch(`/public/${token}/runsshare_token=${token}&id=nope`)).status).toBe(400)
    })

    it('shows the runs below the shared run, but none beside or above it', async () => {
      const { root, middle, leaf, sibling } = await givenTree()
      const token = await tokenOf(middle)
      expect((await read(token)).body.id).toBe(middle)
      expect((await list(token)).body.map((run) => run.id)).toEqual([middle, leaf])
      for (const hidden of [root, sibling]) {
        expect((await readById(token, hidden)).status).toBe(404)
        expect((await list(token, [hidden])).body).toEqual([])
      }
    })

    it('gives no access to other data of the workspace for any id', async () => {
      const project = `crowd-${uuid7()}`
      const mine = await givenTree(project)
      const others = [await givenTree(project), await givenTree(project), await givenTree()]
      const token = await tokenOf(mine.middle)
      const { session_id } = (await app.call(runs.read, { params: { run_id: mine.root } })).body
      const workspace = (await app.call(contract.workspaces.settings)).body.id
      const closed = [
        mine.root,
        mine.sibling,
        ...others.flatMap((tree) => Object.values(tree)),
        session_id,
        workspace,
        token,
      ]
      const ask = (body: object) => app.call(sharing.publicRunQuery, { params: { share_token: token }, body })

      for (const id of closed) {
        expect((await readById(token, id)).status).toBe(404)
        expect((await list(token, [id])).body).toEqual([])
        expect((await ask({ id: [id] })).body.runs).toEqual([])
      }
      // Conditions that would match other runs of the workspace match nothing here.
      const open = new Set<string>([mine.middle, mine.leaf])
      for (const body of [
        { session: [session_id] },
        { trace: others[0]!.root },
        { parent_run: mine.root },
        { is_root: true },
        { id: closed },
      ]) {
        for (const run of (await ask(body)).body.runs) expect(open).toContain(run.id)
      }
    })

    it('gives no access to another workspace, even within the same trace', async () => {
      const ids = await givenTree()
      const token = await tokenOf(ids.root)
      // Another workspace has runs at the same paths of the same trace, with its own ids and with these.
      const other = uuid(uuid7())
      for (const id of ['generateUUIDv4()', 'id']) {
        await app.deps.analytics.command(sql`
          insert into runs
          select * replace (${other} as tenant_id, ${literal(id)} as id, 'foreign' as name, version + 1 as version)
          from runs final
          where trace_id = ${uuid(ids.root)} and tenant_id != ${other}`)
      }
      const runsSeen = (await list(token)).body
      expect(runsSeen.map((run) => run.id)).toEqual([ids.root, ids.middle, ids.leaf, ids.sibling])
      expect(runsSeen.map((run) => run.name)).not.toContain('foreign')
      const { body: tree } = await app.call(sharing.publicTraceRuns, { params: { share_token: token } })
      expect(tree.runs.map((run) => run.name)).toEqual(['root', 'middle', 'leaf', 'sibling'])
      expect((await read(token)).body.name).toBe('root')
    })

    it('returns the feedback on the shared runs only', async () => {
      const { root, middle, leaf, sibling } = await givenTree()
      for (const run_id of [root, middle, leaf, sibling]) {
        await app.call(contract.feedback.create, { body: { run_id, key: 'good', score: 1, comment: `on ${run_id}` } })
      }
      const { session_id } = (await app.call(runs.read, { params: { run_id: root } })).body
      await app.call(contract.feedback.create, { body: { session_id, run_id: null, key: 'good', score: 0 } })
      const token = await tokenOf(middle)
      const list = (query: Record<string, string | string[]> = {}) =>
        app.call(sharing.publicFeedback, { params: { share_token: token }, query })
      const runsOf = async (query: Record<string, string | string[]>) =>
        (await list(query)).body.map((feedback) => feedback.run_id)

      expect((await runsOf({})).sort()).toEqual([middle, leaf].sort())
      expect(await runsOf({ run: [leaf, sibling] })).toEqual([leaf])
      expect(await runsOf({ session: session_id, level: 'session' })).toEqual([])
      expect((await list()).text).not.toContain(session_id)
      expect((await read(token)).body.feedback_stats).toMatchObject({ good: { n: 1, avg: 1 } })
      expect((await app.call(sharing.publicFeedback, { params: { share_token: uuid7() } })).status).toBe(404)
    })

    it('returns the tree below the shared run, with it as root and without a project', async () => {
      const { root, middle, leaf } = await givenTree()
      const { session_id } = (await app.call(runs.read, { params: { run_id: root } })).body
      const readTree = (share_token: string) => app.call(sharing.publicTraceRuns, { params: { share_token } })
      const ofMiddle = await readTree(await tokenOf(middle))
      expect(ofMiddle.body).toMatchObject({ trace_id: root, total: 2 })
      expect(ofMiddle.body.runs.map((run) => [run.id, run.parent_run_id])).toEqual([
        [middle, null],
        [leaf, middle],
      ])
      const whole = await readTree(await tokenOf(root))
      const params = { share_token: await tokenOf(root) }
      expect((await app.call(sharing.publicTraceRunsAtOldPath, { params })).text).toBe(whole.text)
      expect(whole.body.runs.map((run) => run.name)).toEqual(['root', 'middle', 'leaf', 'sibling'])
      const { body: ofColumns, text } = await app.call(sharing.publicTraceRunColumns, {
        params: { share_token: await tokenOf(middle) },
      })
      expect(ofColumns).toMatchObject({ trace_id: root, total: 2, version: ofMiddle.body.version })
      expect(decodeTraceRuns(ofColumns.runs)).toMatchObject({ ids: [middle, leaf], parents: Int32Array.of(-1, 0) })
      for (const one of [ofMiddle.text, whole.text, text]) expect(one).not.toContain(session_id)
      expect((await readTree(randomUUID())).body).toMatchObject(NOT_FOUND)
    })

    it('leaves out the project of the run', async () => {
      const { root } = await givenTree()
      const token = await tokenOf(root)
      const texts = [
        (await read(token)).text,
        (await list(token)).text,
        (
          await app.call(sharing.publicRunQuery, {
            params: { share_token: token },
            body: { select: ['id', 'session_id', 'app_path', 'share_token', 'thread_id', 'ttl_seconds', 'in_dataset'] },
          })
        ).text,
      ]
      const { session_id } = (await app.call(runs.read, { params: { run_id: root } })).body
      const { id: workspace } = (await app.call(contract.workspaces.settings)).body
      for (const text of texts) {
        expect(text).not.toMatch(/"(session_id|app_path|share_token|in_dataset|last_queued_at|ttl_seconds|trace_tier)"/)
        expect(text).not.toMatch(/"reference_dataset_id"/)
        for (const hidden of [session_id, workspace, token]) expect(text).not.toContain(hidden)
      }
      expect((await read(token)).body).not.toHaveProperty('thread_id')
    })

    it('needs no key and ignores a bad one, in either header', async () => {
      const { root } = await givenTree()
      const token = await tokenOf(root)
      const headers = { 'x-api-key': 'placeholder', authorization: 'Bearer no', 'x-tenant-id': 'none', 'x-odd': '1' }
      for (const path of mountedPaths(sharing.publicRun)) {
        const answer = await app.fetch(path.replace('{share_token}', token), { headers })
        expect(answer.status).toBe(200)
        expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      }
    })

    it('returns attachments with signed URLs', async () => {
      const { ids, post } = aTree(`files-${uuid7()}`)
      const form = new FormData()
      const { inputs: _, outputs: __, ...head } = post[0]!
      form.append(`post.${ids.root}`, new Blob([JSON.stringify(head)], { type: 'application/json' }))
      form.append(`attachment.${ids.root}.note`, new Blob(['hello'], { type: 'text/plain' }))
      expect((await app.fetch('/runs/multipart', { method: 'POST', body: form })).status).toBe(202)
      const token = await tokenOf(ids.root)
      const url = (await read(token)).body.s3_urls!['attachment.note']!.presigned_url
      expect(await (await fetch(url)).text()).toBe('hello')
    })
  })

  it('returns the schemas of messages and tools', async () => {
    const schema = (file: string, version = 'v1') => app.call(sharing.publicSchema, { params: { version, file } })
    expect((await schema('message.json')).body).toMatchObject({ type: 'object', required: ['role'] })
    expect((await schema('tooldef.json')).body).toMatchObject({ type: 'object' })
    for (const answer of [await schema('constructor'), await schema('message.json', 'v2')])
      expect(answer.status).toBe(404)
  })

  describe('the shares of a workspace', () => {
    it('are listed newest first, and ended one by one or all at once', async () => {
      await app.call(sharing.unshare, { body: { unshare_all: true } })
      const project = `listed-${uuid7()}`
      const { root, leaf } = await givenTree(project)
      const [first, second] = [await tokenOf(root), await tokenOf(leaf)]
      const { session_id } = (await app.call(runs.read, { params: { run_id: root } })).body
      const tokens = async () => (await app.call(sharing.listShared)).body.entities.map((entity) => entity.share_token)
      const { entities } = (await app.call(sharing.listShared)).body
      expect(entities).toHaveLength(2)
      expect(entities.find((entity) => entity.type === 'run' && entity.run_id === leaf)).toMatchObject({
        type: 'run',
        share_token: second,
        run_name: 'leaf',
        run_type: 'llm',
        session_id,
        session_name: project,
      })
      await app.call(sharing.unshare, { body: { share_tokens: [first, randomUUID(), 'nope'], unshare_all: false } })
      expect(await tokens()).toEqual([second])
      await app.call(sharing.unshare, { body: {} })
      expect(await tokens()).toEqual([second])
      await app.call(sharing.unshare, { body: { unshare_all: true } })
      expect(await tokens()).toEqual([])
      expect((await read(second)).status).toBe(404)
    })
  })
})
