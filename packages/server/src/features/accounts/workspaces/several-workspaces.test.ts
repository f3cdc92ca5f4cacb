import { contract, type Role, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ABrowser, aBrowser } from '../../../testing/a-browser.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

const { accounts, apiKeys, members, projects, workspaces } = contract

const ADA = { email: 'ada@example.org', password: 'correct horse' }
const inside = (tenantId: string) => ({ headers: { 'x-tenant-id': tenantId } })

describe.each(relationalEngines(import.meta.filename))('several workspaces on %s', (_engine, open) => {
  let app: StartedApp
  let ada: ABrowser
  let first: string
  let second: string
  let now = Date.UTC(2026, 0, 1)
  beforeAll(async () => {
    app = await startApp({ relational: await open(), clock: () => now })
    ada = aBrowser(app)
    const body = { ...ADA, workspace_name: 'Acme', project_name: 'p' }
    first = (await ada.call(accounts.setUp, { body })).body.me.tenant_id
    second = (await ada.call(workspaces.create, { body: { display_name: 'Research' } })).body.id
  })
  afterAll(() => app.close())

  const inviteTo = async (tenantId: string, role: Role, email?: string) =>
    (await ada.call(members.invite, { body: { role, email }, ...inside(tenantId) })).body.token
  let invited = 0
  const join = async (tenantId: string, role: Role) => {
    const browser = aBrowser(app)
    const email = `person-${++invited}@example.org`
    const params = { token: await inviteTo(tenantId, role) }
    const answer = await browser.call(members.acceptInvite, { params, body: { email, password: ADA.password } })
    expect(answer.status, answer.text).toBe(200)
    return { browser, email, id: answer.body.id! }
  }
  const joinToo = async (browser: ABrowser, tenantId: string, role: Role) =>
    browser.call(members.joinByInvite, { params: { token: await inviteTo(tenantId, role) } })

  it('are listed with the role in each, and have a first project', async () => {
    const listed = (await ada.call(workspaces.list)).body
    expect(listed.map(({ id, display_name, role_name }) => [id, display_name, role_name])).toEqual([
      [first, 'Acme', 'Admin'],
      [second, 'Research', 'Admin'],
    ])
    expect((await ada.call(workspaces.tenants)).body).toEqual(listed)
    const found = await ada.call(projects.list, inside(second))
    expect(found.body.map(({ name }) => name)).toEqual(['default'])
  })

  it('are selected with X-Tenant-Id; a foreign one is refused', async () => {
    const name = async (tenantId: string) => (await ada.call(workspaces.settings, inside(tenantId))).body.display_name
    expect([await name(first), await name(second)]).toEqual(['Acme', 'Research'])
    expect((await ada.call(accounts.me, inside(second))).body).toMatchObject({ tenant_id: second, role: 'admin' })
    for (const other of [uuid7(), 'x', `${first}, ${second}`]) {
      expect((await ada.call(workspaces.settings, inside(other))).status).toBe(403)
    }
    const { browser } = await join(first, 'admin')
    expect((await browser.call(workspaces.settings, inside(second))).status).toBe(403)
    expect((await browser.call(workspaces.list)).body.map(({ id }) => id)).toEqual([first])
  })

  it('are selected by the last use when a request has no header', async () => {
    const { browser, email } = await join(first, 'viewer')
    expect((await joinToo(browser, second, 'member')).body).toMatchObject({ tenant_id: second, role: 'member' })
    expect((await browser.call(accounts.me)).body.tenant_id).toBe(second)
    now += 60_000 // uses are recorded once a minute
    await browser.call(workspaces.settings, inside(second))
    const current = async (by: ABrowser) => (await by.call(accounts.me)).body.tenant_id
    const elsewhere = aBrowser(app)
    await expect
      .poll(
        async () => (await elsewhere.call(accounts.signIn, { body: { email, password: ADA.password } })).body.tenant_id,
      )
      .toBe(second)
    expect(await current(elsewhere)).toBe(second)
  })

  it('have their own roles and keys', async () => {
    const { browser } = await join(first, 'viewer')
    await joinToo(browser, second, 'admin')
    const write = (tenantId: string) => browser.call(projects.create, { body: { name: uuid7() }, ...inside(tenantId) })
    expect([(await write(first)).status, (await write(second)).status]).toEqual([403, 200])
    expect((await browser.call(apiKeys.create, { body: {}, ...inside(first) })).status).toBe(403)
    const { key, id } = (await browser.call(apiKeys.create, { body: {}, ...inside(second) })).body
    const asKey = (tenantId?: string) => ({ headers: { 'x-api-key': key, ...(tenantId && inside(tenantId).headers) } })
    expect((await app.call(workspaces.settings, asKey())).body.id).toBe(second)
    expect((await app.call(workspaces.settings, asKey(second))).status).toBe(200)
    expect((await app.call(workspaces.settings, asKey(first))).status).toBe(403)
    expect((await app.call(workspaces.list, asKey())).body.map((row) => row.id)).toEqual([second])
    expect((await ada.call(apiKeys.list, inside(first))).body.map((row) => row.id)).not.toContain(id)
    expect((await ada.call(apiKeys.revoke, { params: { id }, ...inside(first) })).status).toBe(404)
  })

  it('are created by signed-in admins, not by other members and not with keys', async () => {
    const create = (by: ABrowser, headers = {}) =>
      by.call(workspaces.create, { body: { display_name: 'New' }, headers })
    const { browser } = await join(first, 'member')
    expect((await create(browser)).status).toBe(403)
    const { key } = (await ada.call(apiKeys.create, { body: {} })).body
    const asKey = { body: { display_name: 'New' }, headers: { 'x-api-key': key } }
    expect((await app.call(workspaces.create, asKey)).status).toBe(403)
    expect((await ada.call(workspaces.create, { body: { display_name: ' ' } })).status).toBe(400)
    const handled = { body: { display_name: 'A', tenant_handle: 'taken' } }
    expect((await ada.call(workspaces.create, handled)).body.tenant_handle).toBe('taken')
    const before = (await ada.call(workspaces.list)).body.length
    expect((await ada.call(workspaces.create, handled)).status).toBe(409)
    expect((await ada.call(workspaces.list)).body).toHaveLength(before)
  })

  it('are renamed only by their admins', async () => {
    const { browser } = await join(first, 'admin')
    await joinToo(browser, second, 'viewer')
    const rename = (by: ABrowser, id: string, tenantId = first) =>
      by.call(workspaces.update, { params: { id }, body: { display_name: 'Acme' }, ...inside(tenantId) })
    expect((await rename(browser, first)).body.display_name).toBe('Acme')
    expect((await rename(browser, second)).status).toBe(403)
    expect((await rename(browser, uuid7())).status).toBe(404)
    const stranger = await join(first, 'admin')
    expect((await rename(stranger.browser, second)).status).toBe(404)
  })

  it('are joined with an existing account, by its password or its sign-in', async () => {
    const { email } = await join(first, 'member')
    const accept = async (token: string, password: string, browser = aBrowser(app)) =>
      browser.call(members.acceptInvite, { params: { token }, body: { email, password } })
    const token = await inviteTo(second, 'viewer')
    expect((await accept(token, 'wrong password')).status).toBe(401)
    const joined = await accept(token, ADA.password)
    expect(joined.body).toMatchObject({ email, role: 'viewer', tenant_id: second })
    expect((await accept(token, ADA.password)).status).toBe(404)

    const again = await inviteTo(second, 'admin')
    expect((await accept(again, ADA.password)).status).toBe(409)
    expect((await app.call(members.readInvite, { params: { token: again } })).status).toBe(200)
    const forOther = await inviteTo(second, 'admin', 'grace@example.org')
    const other = await join(first, 'member')
    const joinWith = (by: ABrowser) => by.call(members.joinByInvite, { params: { token: forOther } })
    expect((await joinWith(other.browser)).status).toBe(400)
    const { key } = (await ada.call(apiKeys.create, { body: {} })).body
    const asKey = { params: { token: again }, headers: { 'x-api-key': key } }
    expect((await app.call(members.joinByInvite, asKey)).status).toBe(403)
  })

  it('are left one by one, and the account ends with the last', async () => {
    const { browser, id, email } = await join(first, 'admin')
    await joinToo(browser, second, 'member')
    const keyOf = async (tenantId: string) =>
      (await browser.call(apiKeys.create, { body: {}, ...inside(tenantId) })).body.key
    const keys = [await keyOf(first), await keyOf(second)]
    const works = async (key: string) => (await app.call(workspaces.settings, { headers: { 'x-api-key': key } })).status
    expect((await browser.call(accounts.leave, inside(second))).status).toBe(200)
    expect([await works(keys[0]!), await works(keys[1]!)]).toEqual([200, 401])
    expect((await browser.call(workspaces.settings, inside(second))).status).toBe(403)
    expect((await browser.call(accounts.me)).body).toMatchObject({ tenant_id: first, role: 'admin' })

    expect((await ada.call(members.remove, { params: { id }, ...inside(second) })).status).toBe(404)
    expect((await ada.call(members.remove, { params: { id }, ...inside(first) })).status).toBe(200)
    expect((await browser.call(accounts.me)).status).toBe(401)
    const credentials = { body: { email, password: ADA.password } }
    expect((await aBrowser(app).call(accounts.signIn, credentials)).status).toBe(401)
  })

  it('cannot be left by their last admin', async () => {
    const { id } = (await ada.call(workspaces.create, { body: { display_name: 'Alone' } })).body
    expect((await ada.call(accounts.leave, inside(id))).status).toBe(400)
    expect((await ada.call(workspaces.settings, inside(id))).status).toBe(200)
  })
})

describe('several workspaces of an open server', () => {
  it('are open to every caller on this machine and to the first account', { timeout: 120_000 }, async () => {
    const app = await startApp()
    const { id } = (await app.call(workspaces.create, { body: { display_name: 'Second' } })).body
    const first = (await app.call(workspaces.settings)).body.id
    expect((await app.call(workspaces.list)).body.map((row) => row.id).sort()).toEqual([first, id].sort())
    expect((await app.call(workspaces.settings, inside(id))).body.display_name).toBe('Second')
    expect((await app.call(workspaces.settings, inside(uuid7()))).status).toBe(403)
    expect((await app.call(workspaces.settings, inside('x'))).status).toBe(403)

    const ada = aBrowser(app)
    const body = { ...ADA, workspace_name: 'First', project_name: 'p' }
    expect((await ada.call(accounts.setUp, { body })).body.me.tenant_id).toBe(first)
    const roles = (await ada.call(workspaces.list)).body.map((row) => [row.display_name, row.role_name])
    expect(roles).toEqual([
      ['First', 'Admin'],
      ['Second', 'Admin'],
    ])
    await app.close()
  })
})
