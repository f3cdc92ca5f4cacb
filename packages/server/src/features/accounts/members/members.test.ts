import { contract, type Role, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ABrowser, aBrowser } from '../../../testing/a-browser.ts'
import { aWorkspace } from '../../../testing/a-workspace.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

const { accounts, annotationQueueItems, annotationQueues, apiKeys, members, projects, promptCommits, prompts } =
  contract

describe.each(relationalEngines(import.meta.filename))('members of a workspace on %s', (_engine, open) => {
  let app: StartedApp
  let admin: ABrowser
  let now = Date.UTC(2026, 0, 1)
  beforeAll(async () => {
    app = await startApp({ relational: await open(), clock: () => now })
    admin = aBrowser(app)
    const body = {
      email: 'ada@example.org',
      password: 'correct horse',
      name: 'Ada',
      workspace_name: 'Acme',
      project_name: 'p',
    }
    expect((await admin.call(accounts.setUp, { body })).status).toBe(200)
  })
  afterAll(() => app.close())

  let invited = 0
  const inviteOf = async (body: object) => (await admin.call(members.invite, { body })).body
  const accept = (browser: ABrowser, token: string, body: object = {}) =>
    browser.call(members.acceptInvite, {
      params: { token },
      body: { email: `member-${++invited}@example.org`, password: 'correct horse', ...body },
    })
  const join = async (role: Role) => {
    const browser = aBrowser(app)
    const answer = await accept(browser, (await inviteOf({ role })).token)
    expect(answer.status, answer.text).toBe(200)
    return { browser, id: answer.body.id!, email: answer.body.email! }
  }
  const list = async (by = admin) => (await by.call(members.list)).body
  const setRole = (id: string, role: Role, by = admin) =>
    by.call(members.changeRole, { params: { id }, body: { role } })
  const remove = (id: string, query: Record<string, string> = {}, by = admin) =>
    by.call(members.remove, { params: { id }, query })
  const adminId = async () => (await admin.call(accounts.me)).body.id!

  it('join with an invite, which shows its workspace and works once', async () => {
    const made = await inviteOf({ role: 'viewer', email: 'Grace@example.org' })
    const read = () => app.call(members.readInvite, { params: { token: made.token } })
    expect((await read()).body).toEqual({
      workspace_name: 'Acme',
      role: 'viewer',
      email: 'grace@example.org',
      expires_at: '2026-01-08T00:00:00.000000Z',
    })
    const listed = await admin.call(members.listInvites)
    expect(listed.body).toEqual([expect.objectContaining({ id: made.id, created_by_name: 'Ada' })])
    expect(listed.text).not.toContain(made.token)

    const grace = aBrowser(app)
    expect((await accept(grace, made.token, { email: 'eve@example.org' })).status).toBe(400)
    expect((await accept(grace, made.token, { email: 'grace@example.org' })).body).toMatchObject({
      name: 'grace',
      role: 'viewer',
    })
    expect((await grace.call(accounts.me)).body.email).toBe('grace@example.org')
    expect((await read()).status).toBe(404)
    expect((await accept(aBrowser(app), made.token)).status).toBe(404)
    expect((await admin.call(members.listInvites)).body).toEqual([])
  })

  it('join one at a time with one invite', async () => {
    const { token } = await inviteOf({})
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(aBrowser(app), token)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
  })

  it('cannot join with a revoked or expired invite, nor with an address that has an account', async () => {
    const revoked = await inviteOf({})
    await admin.call(members.revokeInvite, { params: { id: revoked.id } })
    expect((await accept(aBrowser(app), revoked.token)).status).toBe(404)
    const taken = await inviteOf({})
    expect((await accept(aBrowser(app), taken.token, { email: 'ada@example.org' })).status).toBe(409)
    const late = await inviteOf({ expires_in_days: 1 })
    now += 86_400_000
    expect((await accept(aBrowser(app), late.token)).status).toBe(404)
    expect((await accept(aBrowser(app), 'x'.repeat(43))).status).toBe(404)
  })

  it('have the rights of their role immediately', async () => {
    const { browser, id } = await join('viewer')
    const write = () => browser.call(projects.create, { body: { name: uuid7() } })
    const govern = () => browser.call(members.invite, { body: {} })
    expect((await browser.call(projects.list)).status).toBe(200)
    const refused = await write()
    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject({ detail: 'Viewers have read-only access.' })
    await setRole(id, 'member')
    expect([(await write()).status, (await govern()).status]).toEqual([200, 403])
    await setRole(id, 'admin')
    expect((await govern()).status).toBe(200)
    await setRole(id, 'viewer')
    expect((await write()).status).toBe(403)
  })

  it('are listed with their role and the time of their last visit', async () => {
    const { browser, id } = await join('member')
    expect((await list()).find((one) => one.id === id)).toMatchObject({ role: 'member', last_seen_at: null })
    await browser.call(projects.list)
    await expect.poll(async () => (await list()).find((one) => one.id === id)?.last_seen_at).toMatch(/^2026-/)
  })

  it('lose access immediately when they are removed, optionally with the keys that they made', async () => {
    const { browser, id, email } = await join('member')
    const makeKey = async () => (await browser.call(apiKeys.create, { body: {} })).body.key
    const keys = [await makeKey(), await makeKey()]
    expect((await list()).find((one) => one.id === id)?.key_count).toBe(2)
    const answers = (key: string) => app.call(projects.list, { headers: { 'x-api-key': key } })
    expect((await answers(keys[0]!)).status).toBe(200)

    expect((await remove(id, {}, browser)).status).toBe(403)
    expect((await remove(id, { revoke_keys: 'true' })).status).toBe(200)
    expect((await browser.call(accounts.me)).status).toBe(401)
    expect([(await answers(keys[0]!)).status, (await answers(keys[1]!)).status]).toEqual([401, 401])
    const again = { email, password: 'correct horse' }
    expect((await aBrowser(app).call(accounts.signIn, { body: again })).status).toBe(401)
    expect((await remove(id)).status).toBe(404)
    const back = await accept(aBrowser(app), (await inviteOf({})).token, { email })
    expect(back.status).toBe(200)
  })

  it('keep their name on their earlier work', async () => {
    const { browser, id } = await join('member')
    const repo = `by-${id.slice(-6)}`
    await browser.call(prompts.create, { body: { repo_handle: repo, is_public: false } })
    const manifest = { lc: 1, type: 'constructor', id: ['langchain', 'prompts', 'PromptTemplate'], kwargs: {} }
    const params = { owner: '-', repo }
    const { commit } = (await browser.call(promptCommits.create, { params, body: { manifest } })).body
    const tag = { tag_name: 'staging', commit_id: commit.id }
    await browser.call(promptCommits.createTag, { params, body: tag })
    await remove(id)
    const history = await admin.call(promptCommits.tagHistory, { params: { ...params, tag_name: 'staging' } })
    expect(history.body.transitions).toEqual([
      expect.objectContaining({ performed_by: id, performed_by_role: 'member', performed_by_name: expect.any(String) }),
    ])
  })

  it('include at least one admin', async () => {
    const id = await adminId()
    for (const one of await list()) if (one.role === 'admin' && one.id !== id) await setRole(one.id, 'viewer')
    expect((await setRole(id, 'member')).status).toBe(400)
    expect((await remove(id)).status).toBe(400)
    expect((await admin.call(accounts.me)).body.role).toBe('admin')

    const other = await join('admin')
    const answers = await Promise.all([setRole(other.id, 'viewer', admin), setRole(id, 'viewer', other.browser)])
    // The later request finds the last admin, or its caller is no longer an admin.
    const [won, lost] = answers.map(({ status }) => status).sort()
    expect([won, [400, 403].includes(lost!)]).toEqual([200, true])
    const admins = (await list(answers[0]!.status === 200 ? admin : other.browser)).filter(
      ({ role }) => role === 'admin',
    )
    expect(admins).toHaveLength(1)
    if (answers[0]!.status !== 200) await setRole(id, 'admin', other.browser)
  })

  it('are counted as reviewers', async () => {
    const { browser, id, email } = await join('member')
    const queue = (await admin.call(annotationQueues.create, { body: { name: uuid7() } })).body
    const params = { queue_id: queue.id }
    expect((await admin.call(annotationQueueItems.addReviewer, { params, body: { identity_id: id } })).status).toBe(201)
    const shown = await browser.call(annotationQueues.read, { params })
    expect(shown.text).toContain(email)
  })

  it('have no access to other workspaces', async () => {
    const other = await aWorkspace(app, 'elsewhere')
    const { id } = await join('viewer')
    const asOther = { params: { id }, headers: other.headers }
    expect((await app.call(members.list, asOther)).body).toEqual([])
    expect((await app.call(members.remove, asOther)).status).toBe(404)
    expect((await app.call(members.changeRole, { ...asOther, body: { role: 'admin' } })).status).toBe(404)
    expect((await app.call(members.listInvites, asOther)).body).toEqual([])
  })
})
