import { contract, type Role } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ABrowser, aBrowser } from '../../../testing/a-browser.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

const { accounts, apiKeys, members, projects, workspaces } = contract

const PASSWORD = 'correct horse'

describe.each(relationalEngines(import.meta.filename))('keys and invites on %s', (_engine, open) => {
  let app: StartedApp
  let admin: ABrowser
  let now = Date.UTC(2026, 0, 1)
  beforeAll(async () => {
    app = await startApp({ relational: await open(), clock: () => now })
    admin = aBrowser(app)
    const body = { email: 'ada@example.org', password: PASSWORD, workspace_name: 'Acme', project_name: 'p' }
    expect((await admin.call(accounts.setUp, { body })).status).toBe(200)
  })
  afterAll(() => app.close())

  const asKey = (key: string) => ({ headers: { 'x-api-key': key } })
  const statusOf = async (key: string) => (await app.call(workspaces.settings, asKey(key))).status
  const makeKey = async (by: string | ABrowser, body: object = {}) => {
    const caller = typeof by === 'string' ? app : by
    const answer = await caller.call(apiKeys.create, { body, ...(typeof by === 'string' && asKey(by)) })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const makeInvite = async (by: string | ABrowser, role: Role = 'admin') => {
    const caller = typeof by === 'string' ? app : by
    const answer = await caller.call(members.invite, { body: { role }, ...(typeof by === 'string' && asKey(by)) })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const readInvite = async (token: string) => await app.call(members.readInvite, { params: { token } })
  let joined = 0
  const join = async (role: Role) => {
    const browser = aBrowser(app)
    const { token } = await makeInvite(admin, role)
    const email = `person-${++joined}@example.org`
    const body = { email, password: PASSWORD }
    const answer = await browser.call(members.acceptInvite, { params: { token }, body })
    return { browser, id: answer.body.id!, email }
  }
  const setRole = (id: string, role: Role) => admin.call(members.changeRole, { params: { id }, body: { role } })
  const remove = (id: string, query: Record<string, string> = {}) =>
    admin.call(members.remove, { params: { id }, query })

  it('of a removed person end together with those made with them', async () => {
    const { browser, id } = await join('admin')
    const child = await makeKey(browser)
    const grandchild = await makeKey(child.key)
    const greatGrandchild = await makeKey(grandchild.key, { role: 'viewer' })
    const invites = [await makeInvite(browser), await makeInvite(child.key), await makeInvite(grandchild.key)]
    const listed = (await admin.call(members.list)).body.find((member) => member.id === id)
    expect(listed).toMatchObject({ key_count: 3, invite_count: 3 })
    expect([child, grandchild, greatGrandchild].map(({ person_id }) => person_id)).toEqual([id, id, id])

    expect((await remove(id)).status).toBe(200)
    for (const { key } of [child, grandchild, greatGrandchild]) expect(await statusOf(key)).toBe(401)
    for (const { token } of invites) {
      expect((await readInvite(token)).status).toBe(404)
      const body = { email: 'evil@example.org', password: PASSWORD }
      expect((await aBrowser(app).call(members.acceptInvite, { params: { token }, body })).status).toBe(404)
    }
    expect((await browser.call(accounts.me)).status).toBe(401)
  })

  it('are kept on request, with at most the last role of the person, and without the invites', async () => {
    const { browser, id } = await join('admin')
    const kept = await makeKey(browser)
    const child = await makeKey(kept.key)
    const { token } = await makeInvite(kept.key)
    await setRole(id, 'viewer')
    expect((await remove(id, { revoke_keys: 'false' })).status).toBe(200)
    const write = { body: { name: 'kept' }, ...asKey(kept.key) }
    expect([await statusOf(kept.key), await statusOf(child.key)]).toEqual([200, 200])
    expect((await app.call(projects.create, write)).status).toBe(403)
    expect((await readInvite(token)).status).toBe(404)
    const listed = (await admin.call(apiKeys.list)).body.find((key) => key.id === kept.id)
    expect(listed).toMatchObject({ role: 'viewer', person_id: null, created_by: id })
  })

  it('of a person who joins again stay revoked', async () => {
    const { browser, id, email } = await join('admin')
    const { key } = await makeKey(browser)
    const { token } = await makeInvite(browser)
    await remove(id)
    const again = await makeInvite(admin)
    const body = { email, password: PASSWORD }
    expect((await aBrowser(app).call(members.acceptInvite, { params: { token: again.token }, body })).status).toBe(200)
    expect(await statusOf(key)).toBe(401)
    expect((await readInvite(token)).status).toBe(404)
  })

  it('have at most the new role of a demoted person immediately', async () => {
    const { browser, id } = await join('admin')
    const key = await makeKey(browser)
    const child = await makeKey(key.key)
    const { token } = await makeInvite(child.key)
    const write = async (by: string) =>
      (await app.call(projects.create, { body: { name: `${now}` }, ...asKey(by) })).status
    expect((await app.call(members.listInvites, asKey(child.key))).status).toBe(200)
    await setRole(id, 'viewer')
    expect([await write(key.key), await write(child.key)]).toEqual([403, 403])
    expect((await app.call(accounts.me, asKey(child.key))).body.role).toBe('viewer')
    expect((await readInvite(token)).body.role).toBe('viewer')
    const body = { email: `late-${id.slice(-6)}@example.org`, password: PASSWORD }
    const accepted = await aBrowser(app).call(members.acceptInvite, { params: { token }, body })
    expect(accepted.body.role).toBe('viewer')

    await setRole(id, 'member')
    expect([await write(key.key), await write(child.key)].every((status) => status !== 403)).toBe(true)
    expect((await app.call(members.listInvites, asKey(key.key))).status).toBe(403)
  })

  it('end with the revoked key that made them, directly or indirectly', async () => {
    const { browser, id } = await join('admin')
    const [parent, sibling] = [await makeKey(browser), await makeKey(browser)]
    const child = await makeKey(parent.key)
    const grandchild = await makeKey(child.key)
    const invites = [await makeInvite(parent.key), await makeInvite(grandchild.key)]
    const own = await makeInvite(browser)
    expect((await admin.call(apiKeys.revoke, { params: { id: parent.id } })).status).toBe(200)
    for (const { key } of [parent, child, grandchild]) expect(await statusOf(key)).toBe(401)
    for (const { token } of invites) expect((await readInvite(token)).status).toBe(404)
    expect(await statusOf(sibling.key)).toBe(200)
    expect((await readInvite(own.token)).status).toBe(200)
    expect((await admin.call(members.listInvites)).body.map((invite) => invite.id)).not.toContain(invites[0]!.id)
    await remove(id)
  })

  it('end no later than the key that makes them', async () => {
    const expires_at = new Date(now + 3_600_000).toISOString()
    const parent = await makeKey(admin, { expires_at })
    const child = await makeKey(parent.key)
    expect(Date.parse(child.expires_at!)).toBe(now + 3_600_000)
    const { token } = await makeInvite(parent.key)
    const longer = { body: { expires_at: new Date(now + 7_200_000).toISOString() }, ...asKey(parent.key) }
    const refused = await app.call(apiKeys.create, longer)
    expect(refused.status).toBe(400)
    expect((refused.body as unknown as { detail: string }).detail).toContain('must not expire later')
    const shorter = await makeKey(parent.key, { expires_at: new Date(now + 1_000).toISOString() })
    expect(Date.parse(shorter.expires_at!)).toBe(now + 1_000)
    now += 3_600_000
    expect([await statusOf(parent.key), await statusOf(child.key)]).toEqual([401, 401])
    expect((await readInvite(token)).status).toBe(404)
  })

  it('cannot be created by a person who is being removed', { timeout: 120_000 }, async () => {
    for (let round = 0; round < 3; round++) {
      const { browser, id } = await join('admin')
      const { key } = await makeKey(browser, { description: `round ${round}` })
      const [made] = await Promise.all([
        app.call(apiKeys.create, { body: {}, ...asKey(key) }),
        app.call(members.invite, { body: {}, ...asKey(key) }),
        remove(id),
      ])
      if (made.status === 200) expect(await statusOf(made.body.key)).toBe(401)
      expect((await admin.call(members.listInvites)).body.map(({ created_by_name }) => created_by_name)).not.toContain(
        `round ${round}`,
      )
      expect((await admin.call(apiKeys.list)).body.filter(({ person_id }) => person_id === id)).toEqual([])
    }
  })

  it('of their own are revoked by members, including those made with another of their keys', async () => {
    const { browser } = await join('member')
    const parent = await makeKey(browser)
    const child = await makeKey(parent.key)
    const foreign = await makeKey(admin)
    expect((await browser.call(apiKeys.revoke, { params: { id: child.id } })).status).toBe(200)
    expect((await browser.call(apiKeys.revoke, { params: { id: foreign.id } })).status).toBe(403)
    expect(await statusOf(parent.key)).toBe(200)
  })
})
