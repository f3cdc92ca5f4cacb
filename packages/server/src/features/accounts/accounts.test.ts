import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ABrowser, aBrowser } from '../../testing/a-browser.ts'
import { concurrentRelationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { accounts, apiKeys, projects, runs, workspaces } = contract

const ADA = { email: 'Ada@Example.org', password: 'correct horse', name: 'Ada' }
const SET_UP = { ...ADA, workspace_name: 'Acme', project_name: 'support-bot' }

// Each test starts a server with its own database.
describe.each(concurrentRelationalEngines)('set up an empty server on %s', { timeout: 120_000 }, (_engine, open) => {
  it('is possible while the server is open, and closes the server', async () => {
    const app = await startApp({ relational: await open() })
    const state = () => app.call(accounts.state)
    expect((await state()).body).toEqual({
      is_open: true,
      can_set_up: true,
      needs_setup_code: false,
      has_people: false,
    })
    expect((await app.call(accounts.me)).body).toMatchObject({ kind: 'local', role: 'admin', id: null })

    const browser = aBrowser(app)
    const done = await browser.call(accounts.setUp, { body: SET_UP })
    expect(done.body.me).toMatchObject({ kind: 'person', email: 'ada@example.org', name: 'Ada', role: 'admin' })
    expect((await state()).body).toMatchObject({ is_open: false, can_set_up: false, has_people: true })

    expect((await app.call(workspaces.settings)).status).toBe(401)
    expect((await browser.call(workspaces.settings)).body.display_name).toBe('Acme')
    expect((await browser.call(accounts.me)).body).toEqual(done.body.me)
    const listed = await browser.call(projects.list, { query: { name: 'support-bot' } })
    expect(listed.body.map(({ id }) => id)).toEqual([done.body.project_id])
    const withKey = { headers: { 'x-api-key': done.body.key } }
    expect((await app.call(accounts.me, withKey)).body).toMatchObject({ kind: 'key', role: 'member' })
    expect((await app.call(workspaces.whoAmI, withKey)).body.user_email).toBeNull()
    expect((await browser.call(workspaces.whoAmI)).body.user_email).toBe('ada@example.org')
    await app.close()
  })

  it('succeeds once for concurrent requests', async () => {
    const app = await startApp({ relational: await open() })
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        aBrowser(app).call(accounts.setUp, { body: { ...SET_UP, email: `ada${at}@example.org` } }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403, 403])
    await app.close()
  })

  it('is refused when a key exists, to pages of other sites, and without a required code', async () => {
    const coded = await startApp({ relational: await open(), config: { setupCode: 'abcd-efgh-jkmn' } })
    const code = (given?: string) => aBrowser(coded).call(accounts.setUp, { body: { ...SET_UP, code: given } })
    expect((await coded.call(accounts.state)).body.needs_setup_code).toBe(true)
    expect([(await code()).status, (await code('abcd')).status]).toEqual([403, 403])
    const elsewhere = { body: { ...SET_UP, code: 'abcd-efgh-jkmn' }, headers: { origin: 'https://evil.example' } }
    expect((await coded.call(accounts.setUp, elsewhere)).status).toBe(403)
    await coded.call(apiKeys.create, { body: {} })
    expect((await code('abcd-efgh-jkmn')).status).toBe(403)
    await coded.close()
  })
})

describe('set up', () => {
  let app: StartedApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.close())

  it.each([
    ['no address', { email: 'ada' }],
    ['a short password', { password: 'short' }],
    ['no workspace', { workspace_name: ' ' }],
    ['a name of two lines', { name: 'A\nB' }],
    ['a tab', { workspace_name: 'a\tb' }],
  ])('refuses %s, and leaves the server as it was', async (_what, wrong) => {
    expect((await aBrowser(app).call(accounts.setUp, { body: { ...SET_UP, ...wrong } })).status).toBe(400)
    expect((await app.call(accounts.state)).body.can_set_up).toBe(true)
  })
})

describe('a person with an account', () => {
  let app: StartedApp
  let now = Date.UTC(2026, 0, 1)
  beforeAll(async () => {
    app = await startApp({ clock: () => now })
    await aBrowser(app).call(accounts.setUp, { body: SET_UP })
  })
  afterAll(() => app.close())

  const signIn = (browser: ABrowser, password = ADA.password, email = ADA.email) =>
    browser.call(accounts.signIn, { body: { email, password } })
  const signedIn = async () => {
    const browser = aBrowser(app)
    expect((await signIn(browser)).status).toBe(200)
    return browser
  }

  it('signs in with a cookie that scripts and other sites cannot use, and signs out', async () => {
    const browser = aBrowser(app)
    const answer = await signIn(browser)
    const [session, device] = answer.headers.getSetCookie()
    expect(session).toMatch(/^touchstone_[0-9a-f]{12}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/)
    expect(device).toMatch(
      /^touchstone_device_[0-9a-f]{12}=[\w-]{72}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=31536000$/,
    )
    expect(answer.text).not.toContain(browser.cookie().split('=')[1])
    const kept = browser.cookie()
    expect((await browser.call(accounts.signOut)).status).toBe(200)
    expect(browser.cookie()).toBe('')
    expect((await app.call(accounts.me, { headers: { cookie: kept } })).status).toBe(401)
  })

  it('gets a cookie for TLS only if the page was requested over TLS', async () => {
    const secure = { host: new URL(app.url).host, origin: app.url.replace('http:', 'https:') }
    const answer = await app.call(accounts.signIn, { body: ADA, headers: secure })
    expect(answer.headers.get('set-cookie')).toContain('; Secure')
  })

  it('gets the same message for a wrong address and a wrong password', async () => {
    const [password, email] = [
      await signIn(aBrowser(app), 'wrong horse'),
      await signIn(aBrowser(app), ADA.password, 'eve@example.org'),
    ]
    expect([password.status, email.status]).toEqual([401, 401])
    const said = ({ body }: { body: unknown }) => (body as { detail: string }).detail
    expect(said(password)).toBe('The email address or the password is wrong.')
    expect(said(email)).toBe(said(password))
  })

  it('waits after ten wrong passwords, which does not affect other people', async () => {
    const guess = () => signIn(aBrowser(app), 'wrong horse', 'mallory@example.org')
    for (let mistake = 0; mistake < 10; mistake++) expect((await guess()).status).toBe(401)
    const refused = await guess()
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(600)
    await signedIn()
    now += 15 * 60_000
    expect((await guess()).status).toBe(401)
  })

  it('is protected from pages of other sites and from requests without an origin', async () => {
    const browser = await signedIn()
    const as = (headers: Record<string, string>) =>
      app.call(projects.create, { body: { name: 'forged' }, headers: { cookie: browser.cookie(), ...headers } })
    expect((await as({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await as({ origin: 'null' })).status).toBe(403)
    expect((await as({})).status).toBe(403)
    const read = (headers: Record<string, string>) =>
      app.call(projects.list, { headers: { cookie: browser.cookie(), ...headers } })
    expect((await read({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await read({ 'sec-fetch-site': 'same-site' })).status).toBe(403)
    expect((await read({ 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    expect((await as({ origin: app.url })).status).toBe(200)
    const elsewhere = { headers: { origin: 'https://evil.example' }, body: ADA }
    expect((await app.call(accounts.signIn, elsewhere)).status).toBe(403)
    expect((await app.call(accounts.signOut, { headers: { origin: 'https://evil.example' } })).status).toBe(403)
  })

  it('is authenticated by the key alone when the request has one', async () => {
    const browser = await signedIn()
    expect((await browser.call(accounts.me, { headers: { 'x-api-key': 'ts_wrong' } })).status).toBe(401)
    const { body } = await browser.call(apiKeys.create, { body: { role: 'viewer' } })
    expect(body.created_by_name).toBe('Ada')
    const asKey = { body: {}, headers: { 'x-api-key': body.key } }
    expect((await browser.call(runs.create, asKey)).status).toBe(403)
  })

  it('lists their sign-ins and ends one of them', async () => {
    const [here, there] = [await signedIn(), await signedIn()]
    const list = async (of: ABrowser) => (await of.call(accounts.listSignIns)).body
    const current = (await list(there)).find(({ is_current }) => is_current)!
    expect((await list(here)).find(({ id }) => id === current.id)).toMatchObject({ is_current: false })
    const end = () => here.call(accounts.endSignIn, { params: { id: current.id } })
    expect((await end()).status).toBe(200)
    expect((await end()).status).toBe(404)
    expect((await there.call(accounts.me)).status).toBe(401)
    expect((await here.call(accounts.me)).status).toBe(200)
  })

  it('changes their name and their password, which ends all other sign-ins', async () => {
    const [here, there] = [await signedIn(), await signedIn()]
    expect((await here.call(accounts.update, { body: { name: 'Ada L.' } })).body.name).toBe('Ada L.')
    const change = (current_password: string, new_password: string) =>
      here.call(accounts.changePassword, { body: { current_password, new_password } })
    expect((await change('wrong horse', 'another battery')).status).toBe(400)
    expect((await change(ADA.password, 'short')).status).toBe(400)
    expect((await change(ADA.password, 'another battery')).status).toBe(200)
    expect((await there.call(accounts.me)).status).toBe(401)
    expect((await here.call(accounts.me)).body.name).toBe('Ada L.')
    expect((await signIn(aBrowser(app))).status).toBe(401)
    expect((await signIn(aBrowser(app), 'another battery')).status).toBe(200)
    expect((await change('another battery', ADA.password)).status).toBe(200)
  })

  it('signs in again after thirty days', async () => {
    const browser = await signedIn()
    now += 30 * 86_400_000 - 1
    expect((await browser.call(accounts.me)).status).toBe(200)
    now += 1
    expect((await browser.call(accounts.me)).status).toBe(401)
  })

  it('is stored without password and token', async () => {
    const browser = await signedIn()
    const rows = await app.deps.relational.db.execute('select * from people, sign_ins')
    const text = JSON.stringify(rows)
    expect(text).toContain('scrypt$32768$8$3$')
    expect(text).not.toContain(ADA.password)
    expect(text).not.toContain(browser.cookie().split('=')[1])
  })

  it('has an account, unlike a key', async () => {
    const key = (await (await signedIn()).call(apiKeys.create, { body: {} })).body.key
    const headers = { 'x-api-key': key }
    expect((await app.call(accounts.listSignIns, { headers })).status).toBe(403)
    expect((await app.call(accounts.update, { headers, body: { name: 'x' } })).status).toBe(403)
  })
})
