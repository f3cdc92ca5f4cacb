import { contract } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { aHub } from '../../testing/a-hub.ts'
import { concurrentRelationalEngines } from '../../testing/relational-engines.ts'

const { promptCommits, promptEnvironments, prompts } = contract

describe.each(concurrentRelationalEngines)('environments of prompts on %s', (_engine, open) => {
  const hub = aHub(open)
  const { create, committed, pull } = hub

  const read = (headers = hub.acme.headers) => hub.app.call(promptEnvironments.read, { headers })
  const change = (environments: unknown, headers = hub.acme.headers, id = hub.acme.tenantId) =>
    hub.app.call(promptEnvironments.update, { params: { id }, body: { environments }, headers })
  const reset = () =>
    hub.app.call(promptEnvironments.delete, { params: { id: hub.acme.tenantId }, headers: hub.acme.headers })
  const tagAs = (headers: Readonly<Record<string, string>>, repo: string, tag_name: string, commit_id: string) =>
    hub.app.call(promptCommits.createTag, { params: { owner: '-', repo }, body: { tag_name, commit_id }, headers })
  const history = async (repo: string, tag_name: string) => {
    const params = { owner: '-', repo, tag_name }
    return (await hub.app.call(promptCommits.tagHistory, { params, headers: hub.acme.headers })).body.transitions
  }

  const PRODUCTION = { name: 'production', least_role: 'admin' }

  it('start with production, which only admins move', async () => {
    const first = { id: hub.acme.tenantId, environments: [PRODUCTION], updated_at: null, updated_by_name: null }
    expect((await read()).body).toEqual(first)
    expect((await read(hub.acme.readOnlyHeaders)).body).toEqual(first)
  })

  it('are set once, then changed, only by admins and only for their workspace', async () => {
    const body = { environments: [{ name: 'production' }, { name: 'staging', least_role: 'member' }] }
    const make = () => hub.app.call(promptEnvironments.create, { body, headers: hub.acme.headers })
    expect((await make()).body).toMatchObject({
      environments: [PRODUCTION, { name: 'staging', least_role: 'member' }],
      updated_at: expect.any(String),
      updated_by_name: 'key of acme',
    })
    expect((await make()).status).toBe(409)
    expect((await change([PRODUCTION], hub.acme.memberHeaders)).status).toBe(403)
    expect((await change([PRODUCTION], hub.other.headers)).status).toBe(404)
    expect((await read(hub.other.headers)).body.environments).toEqual([PRODUCTION])
    expect((await reset()).body.environments).toEqual([PRODUCTION])
  })

  it('are not replaced when others have replaced those that were read', async () => {
    const replace = (name: string, expected?: unknown) =>
      hub.app.call(promptEnvironments.update, {
        params: { id: hub.acme.tenantId },
        body: { environments: [{ name }], expected: { environments: expected } },
        headers: hub.acme.headers,
      })
    await reset()
    const before = (await read()).body.environments
    // The initial list is no row yet: two first changes wait for each other as well.
    const both = await Promise.all([replace('one', before), replace('two', before)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const refused = both.find(({ status }) => status === 409)
    expect(refused?.body).toMatchObject({ detail: [{ loc: ['body', 'environments'], type: 'changed' }] })
    expect((await replace('three', (await read()).body.environments)).status).toBe(200)
    expect((await reset()).body.environments).toEqual([PRODUCTION])
  })

  it.each([
    ['none', []],
    ['five', ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }))],
    ['a name twice', [{ name: 'a' }, { name: 'a' }]],
    ['a name that no tag has', [{ name: 'latest' }]],
    ['a name with spaces', [{ name: 'pro duction' }]],
    ['a role that moves nothing', [{ name: 'a', least_role: 'viewer' }]],
  ])('reject %s', async (_what, environments) => {
    expect((await change(environments)).status).toBe(400)
  })

  it('keep callers below their role from creating, moving or removing the tag, and from deleting its repo', async () => {
    const repo = await create()
    const [first, second] = await committed(repo, '1', '2')
    const { memberHeaders, headers } = hub.acme
    const refusal = await tagAs(memberHeaders, repo, 'production', first!.id)
    expect(refusal.status).toBe(403)
    expect(refusal.body).toMatchObject({
      error: 'The tag production is protected: only admins may move it, and you are a member.',
    })
    expect((await tagAs(headers, repo, 'production', first!.id)).status).toBe(200)

    const params = { owner: '-', repo, tag_name: 'production' }
    const asMember = { params, headers: memberHeaders }
    expect((await hub.app.call(promptCommits.moveTag, { ...asMember, body: { commit_id: second!.id } })).status).toBe(
      403,
    )
    expect((await hub.app.call(promptCommits.deleteTag, asMember)).status).toBe(403)
    expect((await hub.app.call(prompts.delete, asMember)).status).toBe(403)
    expect((await pull(repo, 'production')).body.commit_hash).toBe(first!.commit_hash)
    expect(await history(repo, 'production')).toHaveLength(1)

    expect((await tagAs(memberHeaders, repo, 'staging', second!.id)).status).toBe(200)
    expect((await hub.app.call(promptCommits.deleteTag, { params, headers })).status).toBe(200)
    expect((await hub.app.call(prompts.delete, asMember)).status).toBe(200)
  })

  it('allow members to move a tag when configured', async () => {
    const repo = await create()
    const [first] = await committed(repo, '1')
    await change([{ name: 'production', least_role: 'member' }, { name: 'eu' }])
    expect((await tagAs(hub.acme.memberHeaders, repo, 'production', first!.id)).status).toBe(200)
    expect((await tagAs(hub.acme.memberHeaders, repo, 'eu', first!.id)).status).toBe(403)
    expect((await tagAs(hub.acme.readOnlyHeaders, repo, 'production', first!.id)).status).toBe(403)
    await reset()
  })

  it('keep a consistent history of who moved which tag, also for concurrent moves', async () => {
    const repo = await create()
    const made = await committed(repo, ...Array.from({ length: 8 }, (_, at) => String(at)))
    await change([{ name: 'production', least_role: 'member' }])
    const movers = [hub.acme.headers, hub.acme.memberHeaders]
    const answers = await Promise.all(made.map(({ id }, at) => tagAs(movers[at % 2]!, repo, 'production', id)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))

    const moves = await history(repo, 'production')
    expect(moves).toHaveLength(8)
    moves.forEach(({ from_commit_id }, at) => {
      expect(from_commit_id).toBe(moves[at + 1]?.to_commit_id ?? null)
    })
    const by = (role: string) => moves.filter(({ performed_by_role }) => performed_by_role === role)
    expect(by('admin').map(({ performed_by_name }) => performed_by_name)).toEqual(Array(4).fill('key of acme'))
    expect(by('member').map(({ performed_by_name }) => performed_by_name)).toEqual(Array(4).fill('writes'))
    expect((await pull(repo, 'production')).body.commit_hash).toBe(moves[0]!.to_commit_hash)
    await reset()
  })
})
