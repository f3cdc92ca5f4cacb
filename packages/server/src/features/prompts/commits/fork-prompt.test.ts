import { contract } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { aHub } from '../../../testing/a-hub.ts'
import type { AWorkspace } from '../../../testing/a-workspace.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'

const { prompts } = contract

describe.each(relationalEngines(import.meta.filename))('fork a prompt on %s', (_engine, open) => {
  const hub = aHub(open)
  const { create, pull, committed } = hub

  const fork = (owner: string, repo: string, body: object, as: AWorkspace = hub.other) =>
    hub.app.call(prompts.fork, { params: { owner, repo }, body, headers: as.headers })

  it('copies the newest commit and records the lineage', async () => {
    const repo = await create({ is_public: true, description: 'original', tags: ['x'] })
    const [, second] = await committed(repo, '1', '2')
    const forked = await fork('acme', repo, { repo_handle: `${repo}-fork`, readme: 'mine' })
    expect(forked.status, forked.text).toBe(200)
    expect(forked.body.repo).toMatchObject({
      owner: 'other',
      is_public: false,
      is_foreign: false,
      description: 'original',
      readme: 'mine',
      tags: ['x'],
      num_commits: 1,
      original_repo_id: second!.repo_id,
      original_repo_full_name: `acme/${repo}`,
      upstream_repo_id: second!.repo_id,
      upstream_repo_full_name: `acme/${repo}`,
    })
    const copy = (await pull(`${repo}-fork`, 'latest', {}, hub.other)).body
    expect(copy.manifest).toEqual(second!.manifest)

    const again = await fork('-', `${repo}-fork`, { repo_handle: `${repo}-fork-2` })
    expect(again.body.repo).toMatchObject({
      original_repo_full_name: `acme/${repo}`,
      upstream_repo_full_name: `other/${repo}-fork`,
    })
    const forks = await hub.app.call(prompts.list, {
      query: { upstream_repo_owner: 'acme', upstream_repo_handle: repo },
      headers: hub.other.headers,
    })
    expect(forks.body.repos.map(({ repo_handle }) => repo_handle)).toEqual([`${repo}-fork`])
    const none = await hub.app.call(prompts.list, {
      query: { upstream_repo_owner: '-', upstream_repo_handle: repo },
      headers: hub.other.headers,
    })
    expect(none.body.total).toBe(0)
  })

  it('rejects invisible prompts and existing names', async () => {
    const hidden = await create()
    expect((await fork('acme', hidden, { repo_handle: 'stolen' })).status).toBe(404)
    const repo = await create({ is_public: true })
    await fork('acme', repo, { repo_handle: `${repo}-fork` })
    expect((await fork('acme', repo, { repo_handle: `${repo}-fork` })).status).toBe(409)
    expect((await fork('acme', repo, { repo_handle: 'Bad Name' })).status).toBe(400)
  })

  it('remains when the upstream is deleted', async () => {
    const repo = await create({ is_public: true })
    await fork('acme', repo, { repo_handle: `${repo}-kept` })
    await hub.app.call(prompts.delete, { params: { owner: '-', repo }, headers: hub.acme.headers })
    const kept = await hub.app.call(prompts.read, {
      params: { owner: '-', repo: `${repo}-kept` },
      headers: hub.other.headers,
    })
    expect(kept.body.repo.upstream_repo_full_name).toBe(`acme/${repo}`)
  })
})
