import { contract, type Role, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ABrowser, aBrowser } from '../../testing/a-browser.ts'
import { concurrentRelationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { createKey } from './auth/index.ts'

const { accounts, apiKeys, backups, members, serverAdmins, workspaces } = contract

const PASSWORD = 'correct horse'

describe.each(concurrentRelationalEngines)('server administrators on %s', (_engine, open) => {
  let app: StartedApp
  let ada: ABrowser
  let tenantId: string
  let keyOfMachine: string
  beforeAll(async () => {
    app = await startApp({ relational: await open() })
    ada = aBrowser(app)
    const body = { email: 'ada@example.org', password: PASSWORD, workspace_name: 'Acme', project_name: 'p' }
    tenantId = (await ada.call(accounts.setUp, { body })).body.me.tenant_id
    // Creates a key like --create-key does.
    const local = { kind: 'local', actorId: undefined, actorName: undefined } as const
    const maker = { ...local, tenantId, role: 'admin', isServerAdmin: true } as const
    keyOfMachine = (await createKey(app.deps, maker, { description: 'machine' })).key
  })
  afterAll(() => app.close())

  let joined = 0
  const join = async (role: Role) => {
    const browser = aBrowser(app)
    const { token } = (await ada.call(members.invite, { body: { role } })).body
    const email = `person-${++joined}@example.org`
    const answer = await browser.call(members.acceptInvite, {
      params: { token },
      body: { email, password: PASSWORD },
    })
    return { browser, id: answer.body.id!, email }
  }
  const asKey = (key: string) => ({ headers: { 'x-api-key': key } })
  const makeKey = async (by: ABrowser, body: object = {}) => (await by.call(apiKeys.create, { body })).body.key
  const canBackUp = async (key: string) => (await app.call(backups.list, asKey(key))).status === 200
  const appoint = (email: string, by = ada) => by.call(serverAdmins.appoint, { body: { email } })
  const end = (id: string, by = ada) => by.call(serverAdmins.remove, { params: { id } })
  const names = async () => (await ada.call(serverAdmins.list)).body.map(({ email }) => email)

  it('start with the person who set the server up', async () => {
    expect(await names()).toEqual(['ada@example.org'])
    expect((await ada.call(accounts.me)).body).toMatchObject({ role: 'admin', is_server_admin: true })
    expect((await ada.call(backups.list)).status).toBe(200)
  })

  it('do not include workspace admins, who cannot appoint themselves', async () => {
    const { browser, email } = await join('admin')
    const { id: own } = (await browser.call(workspaces.create, { body: { display_name: 'Own' } })).body
    for (const headers of [{}, { 'x-tenant-id': own }]) {
      expect((await browser.call(accounts.me, { headers })).body).toMatchObject({ is_server_admin: false })
      for (const route of [backups.list, backups.create, serverAdmins.list]) {
        const answer = await browser.call(route, { headers })
        expect(answer.status).toBe(403)
        expect(answer.text).toContain('Only server administrators')
      }
      expect((await browser.call(serverAdmins.appoint, { headers, body: { email } })).status).toBe(403)
    }
    expect(await canBackUp(await makeKey(browser))).toBe(false)
  })

  it('appoint others with any workspace role, and remove them immediately', async () => {
    const { browser, id, email } = await join('viewer')
    expect((await browser.call(backups.list)).status).toBe(403)
    expect((await appoint(email.toUpperCase())).body).toMatchObject({ id, email })
    expect((await browser.call(backups.list)).status).toBe(200)
    expect((await appoint(email)).status).toBe(200)
    expect(await names()).toEqual(['ada@example.org', email])
    expect((await end(id)).status).toBe(200)
    expect((await browser.call(backups.list)).status).toBe(403)
    expect((await end(id)).status).toBe(404)
    expect((await end(uuid7())).status).toBe(404)
    expect((await appoint('unknown@example.org')).status).toBe(404)
  })

  it('pass their rights to their keys with the role admin only', async () => {
    const { browser, id, email } = await join('admin')
    await appoint(email)
    const [admin, member] = [await makeKey(browser), await makeKey(browser, { role: 'member' })]
    const child = (await app.call(apiKeys.create, { body: {}, ...asKey(admin) })).body.key
    expect([await canBackUp(admin), await canBackUp(member), await canBackUp(child)]).toEqual([true, false, true])
    expect((await app.call(accounts.me, asKey(admin))).body).toMatchObject({ kind: 'key', is_server_admin: true })

    await ada.call(members.changeRole, { params: { id }, body: { role: 'member' } })
    expect(await canBackUp(admin)).toBe(false)
    await ada.call(members.changeRole, { params: { id }, body: { role: 'admin' } })
    expect(await canBackUp(admin)).toBe(true)
    await end(id)
    expect([await canBackUp(admin), await canBackUp(child)]).toEqual([false, false])
  })

  it('leave no key with their rights when they are removed', async () => {
    const { browser, id, email } = await join('admin')
    await appoint(email)
    const kept = await makeKey(browser)
    const child = (await app.call(apiKeys.create, { body: {}, ...asKey(kept) })).body.key
    await ada.call(members.remove, { params: { id }, query: { revoke_keys: 'false' } })
    expect((await app.call(workspaces.settings, asKey(kept))).status).toBe(200)
    expect([await canBackUp(kept), await canBackUp(child)]).toEqual([false, false])
    expect(await names()).toEqual(['ada@example.org'])
  })

  it('include the keys that were created on the machine, but not the keys made with them', async () => {
    expect(await canBackUp(keyOfMachine)).toBe(true)
    const child = (await app.call(apiKeys.create, { body: {}, ...asKey(keyOfMachine) })).body.key
    expect(await canBackUp(child)).toBe(false)
  })

  it('keep the last one, who cannot be demoted, removed or leave', async () => {
    const { id } = (await ada.call(accounts.me)).body
    const { browser } = await join('admin')
    const answers = [
      await end(id!),
      await browser.call(members.remove, { params: { id: id! } }),
      await ada.call(accounts.leave),
    ]
    for (const { status, text } of answers) {
      expect([status, text]).toEqual([400, expect.stringContaining('the last server administrator')])
    }
    expect(await names()).toEqual(['ada@example.org'])
    expect((await ada.call(backups.list)).status).toBe(200)
  })

  it('keep one of two who remove each other concurrently', async () => {
    const { browser, id, email } = await join('viewer')
    await appoint(email)
    const first = (await ada.call(accounts.me)).body.id!
    const answers = await Promise.all([end(id), end(first, browser)])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const left = (await app.call(serverAdmins.list, asKey(keyOfMachine))).body
    expect(left).toHaveLength(1)
    if (left[0]!.id !== first) await appoint('ada@example.org', browser)
  })
})

describe('an open server', () => {
  let app: StartedApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.close())

  it('lets every caller on its machine administer it', async () => {
    expect((await app.call(accounts.me)).body).toMatchObject({ kind: 'local', is_server_admin: true })
    expect((await app.call(backups.list)).status).toBe(200)
  })
})
