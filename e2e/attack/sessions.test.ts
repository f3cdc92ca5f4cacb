import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inParallel, rawJson, rawRequest } from './support/raw-request.ts'
import { callJson, type Headers, signIn, startTeam, type Team } from './support/start-team.ts'

let team: Team
beforeAll(async () => {
  team = await startTeam()
})
afterAll(() => team?.server.stop())

const statusOf = async (headers: Headers, path = '/api/v1/auth/me') =>
  (await rawRequest(team.url, { path, headers })).status

const tokenOf = ({ cookie }: Headers) => cookie!.split('=')[1]!

describe('a session', () => {
  it('has a token of its own at each sign-in, and never one that the browser brought', async () => {
    const first = await team.signIn('viewer')
    const planted = { cookie: `${first.cookie!.split('=')[0]}=${'P'.repeat(43)}` }
    const second = await signIn(team.url, team.people.viewer, planted)
    const third = await signIn(team.url, team.people.viewer, { cookie: first.cookie! })
    expect(new Set([first, second, third].map(tokenOf)).size).toBe(3)
    expect(tokenOf(second)).not.toContain('PPPP')
    expect(await statusOf({ ...planted, origin: team.url })).toBe(401)
  })

  it('is not opened by parts, changes or repetitions of a token', async () => {
    const { cookie, origin } = await team.signIn('admin')
    const [name, token] = cookie!.split('=') as [string, string]
    const last = token.at(-1) === 'A' ? 'B' : 'A'
    const wrong = [
      token.slice(0, -1),
      `${token}A`,
      token.toLowerCase(),
      token.slice(0, -1) + last,
      `${token}%00`,
      `"${token}"x`,
      `${token},${token}`,
      '',
      '*',
      '%',
    ]
    const statuses = await inParallel(wrong, 4, (value) => statusOf({ cookie: `${name}=${value}`, origin: origin! }))
    expect(statuses).toEqual(wrong.map(() => 401))
    expect(await statusOf({ cookie: `${name.toUpperCase()}=${token}`, origin: origin! })).toBe(401)
  })

  it('ends on the server when its person signs out', async () => {
    const session = await team.signIn('member')
    await callJson(team.url, session, 'POST', '/api/v1/auth/logout')
    expect(await statusOf(session)).toBe(401)
    expect(await statusOf(session, '/api/v1/sessions')).toBe(401)
  })

  it('ends when the person changes the password elsewhere', async () => {
    const [here, elsewhere] = [await team.signIn('member'), await team.signIn('member')]
    const { password, email } = team.people.member
    const next = 'another long password'
    await callJson(team.url, here, 'POST', '/api/v1/auth/password', { current_password: password, new_password: next })
    expect(await statusOf(elsewhere)).toBe(401)
    expect((await rawJson(team.url, 'POST', '/auth/login', { email, password }, { origin: team.url })).status).toBe(401)
    const again = await signIn(team.url, { ...team.people.member, password: next })
    const back = { current_password: next, new_password: password }
    await callJson(team.url, again, 'POST', '/api/v1/auth/password', back)
  })

  it('does not change the password of a person whose password is not known', async () => {
    const session = await team.signIn('viewer')
    const body = { current_password: 'a wrong guess', new_password: 'taken over now' }
    expect((await rawJson(team.url, 'POST', '/api/v1/auth/password', body, session)).status).toBeGreaterThanOrEqual(400)
    expect(await statusOf(await team.signIn('viewer'))).toBe(200)
  })

  it('ends one session of its own person only', async () => {
    const [viewer, admin] = [await team.signIn('viewer'), await team.signIn('admin')]
    const [theirs] = await callJson<{ id: string }[]>(team.url, admin, 'GET', '/api/v1/auth/sign-ins')
    const answer = await rawRequest(team.url, {
      method: 'DELETE',
      path: `/api/v1/auth/sign-ins/${theirs!.id}`,
      headers: viewer,
    })
    expect(answer.status).toBe(404)
    expect(await statusOf(admin)).toBe(200)
  })

  it('is known by a hash alone: no answer holds its token, a password or a key', async () => {
    const admin = await team.signIn('admin')
    const secrets = [
      tokenOf(admin),
      team.people.admin.password,
      ...Object.values(team.keys).map((key) => key['x-api-key']!),
    ]
    for (const path of ['auth/me', 'auth/sign-ins', 'workspaces/current/members', 'api-key', 'settings']) {
      const { status, text } = await rawRequest(team.url, { path: `/api/v1/${path}`, headers: admin })
      expect(status).toBe(200)
      for (const secret of secrets) expect(text).not.toContain(secret)
    }
    for (const secret of secrets) expect(team.server.output()).not.toContain(secret)
  })

  it('of the last admin cannot end the power of the last admin', async () => {
    const admin = await team.signIn('admin')
    const people = await callJson<{ id: string; role: string }[]>(
      team.url,
      admin,
      'GET',
      '/api/v1/workspaces/current/members',
    )
    const { id } = people.find(({ role }) => role === 'admin')!
    const path = `/api/v1/workspaces/current/members/${id}`
    expect((await rawJson(team.url, 'PATCH', path, { role: 'viewer' }, admin)).status).toBe(400)
    expect((await rawRequest(team.url, { method: 'DELETE', path, headers: admin })).status).toBe(400)
  })
})
