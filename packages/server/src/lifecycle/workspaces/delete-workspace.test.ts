import { contract, type Role, uuid7 } from '@touchstone/contract'
import { sql as pg } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { literal, sql, uuid } from '../../storage/analytics/sql.ts'
import { toRow, toRows } from '../../storage/relational/migrate.ts'
import { COUNT_ROW, columns, text } from '../../storage/rows.ts'
import { type ABrowser, aBrowser } from '../../testing/a-browser.ts'
import { aTrace } from '../../testing/a-trace.ts'
import { engineOfEachTime } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { settleDeletedBlobs, sweepBlobs } from '../sweep/blobs.ts'
import { definePurgeJob } from './purge-workspace.ts'

const {
  accounts,
  apiKeys,
  datasets,
  deletions,
  examples,
  feedback,
  members,
  projects,
  prompts,
  runs,
  sharing,
  workspaces,
  threadsV2,
} = contract

const PASSWORD = 'correct horse'
const inside = (tenantId: string) => ({ 'x-tenant-id': tenantId })

describe.each(engineOfEachTime)('deleting a workspace on %s', (_engine, open) => {
  let app: StartedApp
  let ada: ABrowser
  let first: string
  beforeAll(async () => {
    app = await startApp({ relational: await open() })
    ada = aBrowser(app)
    const body = { email: 'ada@example.org', password: PASSWORD, workspace_name: 'Acme', project_name: 'p' }
    first = (await ada.call(accounts.setUp, { body })).body.me.tenant_id
  })
  afterAll(() => app.close())

  const createWorkspace = async (by = ada) =>
    (await by.call(workspaces.create, { body: { display_name: 'Doomed' } })).body.id
  let joined = 0
  const join = async (tenantId: string, role: Role) => {
    const browser = aBrowser(app)
    const { token } = (await ada.call(members.invite, { body: { role }, headers: inside(tenantId) })).body
    const email = `person-${++joined}@example.org`
    await browser.call(members.acceptInvite, { params: { token }, body: { email, password: PASSWORD } })
    return browser
  }
  const remove = (id: string, by = ada) => by.call(workspaces.delete, { params: { id } })
  const purged = async (deletionId: string, by = ada) => {
    const read = async () => (await by.call(deletions.read, { params: { deletion_id: deletionId } })).body
    await expect.poll(read, { timeout: 30_000 }).toMatchObject({ status: 'done' })
    return read()
  }

  /** A project, a run with an attachment and feedback, a dataset, a prompt, a public link, an invite, and a key. */
  async function fill(tenantId: string, secret: string) {
    const { key } = (await ada.call(apiKeys.create, { body: { role: 'admin' }, headers: inside(tenantId) })).body
    const headers = { 'x-api-key': key }
    const run: Record<string, unknown> = aTrace({ project: secret }).post[0]!
    run.extra = { metadata: { thread_id: 'chat' } }
    const form = new FormData()
    form.append(`post.${run.id}`, new Blob([JSON.stringify(run)], { type: 'application/json' }))
    const type = `text/plain; length=${secret.length}`
    form.append(`attachment.${run.id}.note`, new Blob([secret], { type }))
    expect((await app.fetch('/runs/multipart', { method: 'POST', body: form, headers })).status).toBe(202)
    const run_id = String(run.id)
    await app.call(feedback.create, { headers, body: { run_id, key: 'right', score: 1 } })
    const dataset = (await app.call(datasets.create, { headers, body: { name: secret } })).body
    await app.call(examples.create, { headers, body: { dataset_id: dataset.id, inputs: { secret } } })
    await app.call(prompts.create, { headers, body: { repo_handle: secret, is_public: false } })
    const share = (await app.call(sharing.shareRun, { headers, params: { run_id }, body: { run_id } })).body
    const { session_id: project_id } = (await app.call(runs.read, { headers, params: { run_id } })).body
    const thread = (await app.call(threadsV2.share, { headers, params: { thread_id: 'chat' }, body: { project_id } }))
      .body
    const invite = (await app.call(members.invite, { headers, body: {} })).body
    return {
      headers,
      run_id,
      datasetId: dataset.id,
      share: share.share_token,
      thread: thread.share_token,
      invite: invite.token,
    }
  }

  /** Rows by table of both stores; what a person may have in other workspaces is left out. */
  async function rowsOfWorkspace(tenantId: string): Promise<Record<string, number>> {
    const found: Record<string, number> = {}
    const { analytics, relational } = app.deps
    const named = await relational.db.execute(
      pg`select table_name as name from information_schema.columns where column_name = 'tenant_id' and table_schema = current_schema()`,
    )
    for (const { name } of toRows(named, columns({ name: text }))) {
      if (name === 'deletions' || name === 'sign_ins') continue
      const counted = await relational.db.execute(
        pg`select count(*)::int as n from ${pg.identifier(name)} where tenant_id = ${tenantId}`,
      )
      const { n } = toRow(counted, COUNT_ROW)
      if (n > 0) found[name] = n
    }
    for (const name of [
      'runs',
      'run_keys',
      'run_links',
      'trace_runs',
      'project_roots',
      'project_usage',
      'run_attachments',
      'run_feedback',
    ]) {
      const [row] = await analytics.query(
        sql`select count() as n from ${literal(name)} final where tenant_id = ${uuid(tenantId)}`,
        COUNT_ROW,
      )
      if (row!.n > 0) found[name] = row!.n
    }
    return found
  }

  it('removes all its rows and blobs, and nothing of other workspaces', async () => {
    const doomed = await createWorkspace()
    const kept = await fill(first, `kept-${uuid7()}`)
    const secret = `doomed-${uuid7()}`
    await fill(doomed, secret)
    const blob = await app.deps.blobs.put(Buffer.from(secret))
    const before = await rowsOfWorkspace(first)
    expect(Object.keys(await rowsOfWorkspace(doomed)).length).toBeGreaterThan(12)

    const { status, body } = await remove(doomed)
    expect([status, body.kind, body.subject]).toEqual([202, 'workspace', 'Workspace "Doomed"'])
    const record = await purged(body.id)
    expect(record).toMatchObject({
      remaining: 0,
      analytics: { runs: 1, feedback: 1, attachments: 1, attachment_bytes: secret.length },
      relational: { examples: 1, shares: 2 },
      requested_by: 'ada',
    })
    expect(await rowsOfWorkspace(doomed)).toEqual({})
    const left = await app.deps.relational.db.execute(pg`select display_name from workspaces where id = ${doomed}`)
    expect(toRows(left, columns({ display_name: text }))).toEqual([{ display_name: '' }])

    const later = { ...app.deps, clock: () => Date.now() + 3_600_000 }
    await sweepBlobs(later, { graceMs: 0 })
    await settleDeletedBlobs(later)
    expect(await app.deps.blobs.has(blob)).toBe(false)
    expect((await purged(body.id)).blobs).toMatchObject({ removed: 1, waiting: 0 })

    expect(await rowsOfWorkspace(first)).toEqual(before)
    const run = await app.call(runs.read, { headers: kept.headers, params: { run_id: kept.run_id } })
    expect(run.status).toBe(200)
  })

  it('takes its likes and comments of public prompts of others with it', async () => {
    const doomed = await createWorkspace()
    const theirs = await fill(doomed, `doomed-${uuid7()}`)
    const repo = `liked-${uuid7()}`
    await ada.call(workspaces.setHandle, { body: { tenant_handle: 'acme' }, headers: inside(first) })
    const made = await ada.call(prompts.create, {
      body: { repo_handle: repo, is_public: true },
      headers: inside(first),
    })
    expect(made.status, made.text).toBe(200)
    const params = { owner: 'acme', repo }
    const own = await ada.call(prompts.comment, { params, body: { content: 'ours' }, headers: inside(first) })
    await ada.call(prompts.like, { params, body: { like: true }, headers: inside(first) })
    const { headers } = theirs
    expect((await app.call(prompts.like, { params, body: { like: true }, headers })).body.likes).toBe(2)
    await app.call(prompts.comment, { params, body: { content: 'theirs' }, headers })
    await app.call(prompts.likeComment, { params: { ...params, comment_id: own.body.id }, headers })
    const forked = await app.call(prompts.fork, { params, body: { repo_handle: 'forked' }, headers })
    expect(forked.status, forked.text).toBe(200)

    await purged((await remove(doomed)).body.id)
    const read = await ada.call(prompts.read, { params, headers: inside(first) })
    expect(read.body.repo).toMatchObject({ num_likes: 1, liked_by_auth_user: true })
    const { body } = await ada.call(prompts.listComments, { params, headers: inside(first) })
    expect(body).toMatchObject({ total: 1, comments: [{ content: 'ours', num_likes: 0 }] })
  })

  it('leaves a placeholder for a comment with replies of others, and nothing for others', async () => {
    const repo = `discussed-${uuid7()}`
    const handle = `h${uuid7().replaceAll('-', '')}`.slice(0, 30)
    const kept = await createWorkspace()
    await ada.call(workspaces.setHandle, { body: { tenant_handle: handle }, headers: inside(kept) })
    await ada.call(prompts.create, { body: { repo_handle: repo, is_public: true }, headers: inside(kept) })
    const params = { owner: handle, repo }
    const [doomed, doomedLater] = [await createWorkspace(), await createWorkspace()]
    const say = async (content: string, workspace: string, parent?: string): Promise<string> => {
      const call = { body: { content }, headers: inside(workspace) }
      const {
        status,
        text: printed,
        body,
      } = await (parent === undefined
        ? ada.call(prompts.comment, { ...call, params })
        : ada.call(prompts.reply, { ...call, params: { ...params, comment_id: parent } }))
      expect(status, printed).toBe(200)
      return body.id
    }
    const top = await say('secret question', doomed)
    const between = await say('secret detail', doomed, top)
    const answer = await say('an answer', doomedLater, between)
    await say('secret: thanks', doomed, answer)
    await say('secret: no replies', doomed, top)
    const read = async (parent?: string) => {
      const headers = inside(kept)
      const { body } = await (parent === undefined
        ? ada.call(prompts.listComments, { params, headers })
        : ada.call(prompts.listReplies, { params: { ...params, comment_id: parent }, headers }))
      return body
    }

    expect((await purged((await remove(doomed)).body.id)).remaining).toBe(0)
    const placeholder = { content: 'This comment was deleted.', comment_by_name: '', num_sub_comments: 1 }
    expect(await read()).toMatchObject({ total: 1, comments: [{ id: top, ...placeholder }] })
    expect(await read(top)).toMatchObject({ total: 1, comments: [{ id: between, ...placeholder }] })
    expect(await read(between)).toMatchObject({ total: 1, comments: [{ content: 'an answer', num_sub_comments: 0 }] })

    await purged((await remove(doomedLater)).body.id)
    expect(await read()).toMatchObject({ total: 0 })
  })

  it('leaves the forks of its public prompts to the workspaces that made them', async () => {
    const doomed = await createWorkspace()
    const repo = `forked-${uuid7()}`
    const handle = `h${uuid7().replaceAll('-', '')}`.slice(0, 30)
    await ada.call(workspaces.setHandle, { body: { tenant_handle: handle }, headers: inside(doomed) })
    await ada.call(prompts.create, { body: { repo_handle: repo, is_public: true }, headers: inside(doomed) })
    const forked = await ada.call(prompts.fork, {
      params: { owner: handle, repo },
      body: { repo_handle: repo },
      headers: inside(first),
    })
    expect(forked.status, forked.text).toBe(200)
    await purged((await remove(doomed)).body.id)
    const read = await ada.call(prompts.read, { params: { owner: '-', repo }, headers: inside(first) })
    expect([read.status, read.body.repo]).toMatchObject([200, { repo_handle: repo }])
  })

  it('ends keys, invites, links and memberships at once', async () => {
    const doomed = await createWorkspace()
    const { headers, share, thread, invite } = await fill(doomed, `doomed-${uuid7()}`)
    const openThread = () => app.call(threadsV2.publicTraces, { params: { share_token: thread } })
    expect((await openThread()).status).toBe(200)
    const viewer = await join(doomed, 'viewer')
    const open = () => app.call(sharing.publicRun, { params: { share_token: share } })
    expect((await open()).status).toBe(200)
    const { body } = await remove(doomed)

    expect((await app.call(projects.list, { headers })).status).toBe(401)
    expect((await viewer.call(accounts.me)).status).toBe(401)
    expect((await open()).status).toBe(404)
    expect((await openThread()).status).toBe(404)
    expect((await app.call(members.readInvite, { params: { token: invite } })).status).toBe(404)
    const asNamed = await ada.call(workspaces.settings, { headers: inside(doomed) })
    const asUnknown = await ada.call(workspaces.settings, { headers: inside(uuid7()) })
    expect([asNamed.status, JSON.parse(asNamed.text).detail]).toEqual([403, JSON.parse(asUnknown.text).detail])
    expect((await ada.call(workspaces.list)).body.map(({ id }) => id)).not.toContain(doomed)
    expect((await remove(doomed)).status).toBe(404)
    await purged(body.id)
  })

  it('is allowed for its admins and for server administrators', async () => {
    const doomed = await createWorkspace()
    const { headers } = await fill(first, `other-${uuid7()}`)
    const [admin, member, stranger] = [
      await join(doomed, 'admin'),
      await join(doomed, 'member'),
      await join(first, 'admin'),
    ]
    const own = await createWorkspace(stranger) // without other members
    expect((await remove(doomed, member)).status).toBe(403)
    expect((await remove(doomed, stranger)).status).toBe(404)
    // A key reaches no further than its workspace.
    expect((await app.call(workspaces.delete, { headers, params: { id: doomed } })).status).toBe(404)
    const byAdmin = await remove(doomed, admin)
    expect(byAdmin.status).toBe(202)
    const byServerAdmin = await remove(own)
    expect(byServerAdmin.status).toBe(202)
    await purged(byServerAdmin.body.id)
    await purged(byAdmin.body.id)
    const unseen = await stranger.call(deletions.read, { params: { deletion_id: byAdmin.body.id } })
    expect(unseen.status).toBe(404)
    expect((await stranger.call(deletions.list)).body.deletions.filter(({ kind }) => kind === 'workspace')).toEqual([])
  })

  it('removes rows of a late request in the next purge', async () => {
    const doomed = await createWorkspace()
    const { body } = await remove(doomed)
    await purged(body.id)
    await app.deps.relational.db.execute(pg`
      insert into projects (id, tenant_id, name, start_time) values (${uuid7()}, ${doomed}, 'late', now())`)
    expect(await rowsOfWorkspace(doomed)).toEqual({ projects: 1 })
    const work = new Map<string, (data: object) => Promise<void>>()
    const jobs = {
      define: (name: string, handle: (data: object) => Promise<void>) => {
        work.set(name, handle)
        return { send: (data: object) => work.get(name)!(data) }
      },
    }
    definePurgeJob({ ...app.deps, jobs: jobs as never })
    await work.get('workspace-purge-again')!({})
    expect(await rowsOfWorkspace(doomed)).toEqual({})
    expect(await purged(body.id)).toMatchObject({ remaining: 0 })
  })

  it('deletes the first workspace, but never the last one', async () => {
    const second = await createWorkspace()
    const others = (await ada.call(workspaces.list)).body.filter(({ id }) => id !== first && id !== second)
    for (const { id } of others) await purged((await remove(id)).body.id)
    expect((await remove(first)).status).toBe(202)
    expect((await ada.call(workspaces.settings)).body.id).toBe(second)
    const again = aBrowser(app)
    expect((await again.call(accounts.signIn, { body: { email: 'ada@example.org', password: PASSWORD } })).status).toBe(
      200,
    )
    const last = await remove(second)
    expect([last.status, last.text]).toEqual([400, expect.stringContaining('the last workspace')])
    const third = await createWorkspace()
    const answers = await Promise.all([remove(second), remove(third)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 400])
  })
})

describe('deleting a workspace of an open server', () => {
  let app: StartedApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.close())

  it('routes requests without a workspace to another one', async () => {
    const first = (await app.call(workspaces.settings)).body.id
    const second = (await app.call(workspaces.create, { body: { display_name: 'Second' } })).body.id
    expect((await app.call(workspaces.delete, { params: { id: first } })).status).toBe(202)
    expect((await app.call(workspaces.settings)).body.id).toBe(second)
    expect((await app.call(workspaces.settings, { headers: inside(first) })).status).toBe(403)
    expect((await app.call(workspaces.delete, { params: { id: second } })).status).toBe(400)
  })
})

describe('the tables of the relational store', () => {
  let app: StartedApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.close())

  /** They hold nothing of a workspace. */
  const OF_THE_SERVER = [
    'migrations',
    'people',
    'server_identity',
    'server_secrets',
    'server_setup',
    'blob_sweeps',
    'workspaces',
    // Ids of jobs, and how often the process died during them.
    'jobs_under_way',
    'job_deaths',
  ]

  it('have a tenant_id or cascade from a row that has one', async () => {
    const { db } = app.deps.relational
    const tables = toRows(
      await db.execute(pg`
        select relname as name from pg_class
        where relkind = 'r' and relnamespace = current_schema()::regnamespace
          and relname not in (select table_name from information_schema.columns where column_name = 'tenant_id')`),
      columns({ name: text }),
    ).map(({ name }) => name)
    const cascades = toRows(
      await db.execute(pg`
        select distinct c.conrelid::regclass::text as child from pg_constraint c
        where c.contype = 'f' and c.confdeltype = 'c' and c.connamespace = current_schema()::regnamespace`),
      columns({ child: text }),
    ).map(({ child }) => child)
    expect(tables.filter((name) => !OF_THE_SERVER.includes(name) && !cascades.includes(name))).toEqual([])
  })
})
