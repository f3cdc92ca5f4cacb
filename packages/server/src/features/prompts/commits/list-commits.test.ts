import { contract } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { aHub } from '../../../testing/a-hub.ts'
import { aManifest } from '../../../testing/a-manifest.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'

describe.each(relationalEngines(import.meta.filename))('list commits on %s', (_engine, open) => {
  const hub = aHub(open)
  const { create, list, tag, committed } = hub

  it('returns the newest first, with the total', async () => {
    const repo = await create()
    expect((await list(repo)).body).toEqual({ commits: [], total: 0 })
    const made = await committed(repo, '1', '2', '3')
    const { body } = await list(repo, { include_model: 'False' })
    expect(body.total).toBe(3)
    expect(body.commits).toEqual([...made].reverse())
    expect((await list(repo, { limit: '1', offset: '0' })).body.commits).toEqual([made[2]])
    expect((await list(repo, { limit: '2', offset: '2' })).body).toEqual({ commits: [made[0]], total: 3 })
    expect((await list(repo, { offset: '3' })).body).toEqual({ commits: [], total: 3 })
    for (const bad of [{ limit: '101' }, { limit: '0' }, { offset: '-1' }]) {
      expect((await list(repo, bad)).status).toBe(400)
    }
    expect((await list('no-such')).status).toBe(404)
  })

  it('filters by tag', async () => {
    const repo = await create()
    const [first] = await committed(repo, '1', '2')
    await tag(repo, 'v1', first!.id)
    expect((await list(repo, { tag: 'v1' })).body).toEqual({ commits: [first], total: 1 })
    expect((await list(repo, { tag: 'v2' })).body).toEqual({ commits: [], total: 0 })
    expect((await list(repo, { tag: '\0' })).body).toEqual({ commits: [], total: 0 })
  })

  it('lists the history without manifests, with the tags of each commit', async () => {
    const repo = await create()
    const [first, second, third] = await committed(repo, '1', '2', '3')
    await tag(repo, 'v2', second!.id)
    await tag(repo, 'production', second!.id)
    const history = (query: Record<string, string> = {}, headers = hub.acme.headers) =>
      hub.app.call(contract.promptCommits.history, { params: { owner: '-', repo }, query, headers })
    const { body } = await history()
    expect(body.total).toBe(3)
    expect(body.commits.map(({ commit_hash, tags }) => [commit_hash, tags])).toEqual([
      [third!.commit_hash, []],
      [second!.commit_hash, ['production', 'v2']],
      [first!.commit_hash, []],
    ])
    const { manifest: _, example_run_ids: __, updated_at: ___, ...facts } = third!
    expect(body.commits[0]).toEqual({ ...facts, tags: [] })
    expect((await history({ limit: '1', offset: '1' })).body.commits).toEqual([body.commits[1]])
    const prefix = second!.commit_hash.slice(0, 20)
    expect((await history({ starts_with: prefix.toUpperCase() })).body).toEqual({
      commits: [body.commits[1]],
      total: 1,
    })
    expect((await history({ starts_with: second!.commit_hash })).body.total).toBe(1)
    expect((await history({ starts_with: 'xyz' })).status).toBe(400)
    expect((await history({}, hub.other.headers)).status).toBe(404)
  })

  it('also answers a pull of `name:`, which has the same path', async () => {
    const repo = await create()
    const empty = await hub.app.fetch(`/commits/-/${repo}/`, { headers: hub.acme.headers })
    expect(await empty.json()).toEqual({ commits: [], total: 0 })
    const [first] = await committed(repo, '1')
    for (const end of ['', '/', '?include_model=true']) {
      const answer = await (await hub.app.fetch(`/commits/-/${repo}${end}`, { headers: hub.acme.headers })).json()
      expect(answer).toMatchObject({
        commits: [{ id: first!.id }],
        commit_hash: first!.commit_hash,
        manifest: aManifest('1'),
        examples: [],
      })
    }
    const asList = await (await hub.app.fetch(`/commits/-/${repo}/?offset=0`, { headers: hub.acme.headers })).json()
    expect(Object.keys(asList as object)).toEqual(['commits', 'total'])
  })
})
