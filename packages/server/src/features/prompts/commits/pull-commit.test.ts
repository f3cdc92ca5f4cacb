import { contract, uuid7 } from '@touchstone/contract'
import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { aHub } from '../../../testing/a-hub.ts'
import { aChain, aManifest } from '../../../testing/a-manifest.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'
import { promptCommits as commitTable } from '../index.ts'

const { promptCommits, runs } = contract

describe.each(relationalEngines(import.meta.filename))('pull a commit on %s', (_engine, open) => {
  const hub = aHub(open)
  const { create, commit, list, pull, readRepo, tag, committed } = hub

  it('returns the fields that clients require, without those that they add', async () => {
    const repo = await create()
    const [made] = await committed(repo, '1')
    const { body } = await pull(repo, 'latest')
    expect(body).toEqual({
      commit_hash: made!.commit_hash,
      manifest: aManifest('1'),
      examples: [],
      description: null,
      is_draft: false,
      model_config: null,
      model_provider: null,
      is_foreign: false,
    })
  })

  it('resolves latest, hashes, their prefixes and tags', async () => {
    const repo = await create()
    expect((await pull(repo, 'latest')).status).toBe(404)
    const [first, second] = await committed(repo, '1', '2')
    await tag(repo, 'prod', first!.id)
    await tag(repo, 'production-eu', first!.id)
    const hash = first!.commit_hash
    const found = async (reference: string) => (await pull(repo, reference)).body.commit_hash
    expect(await found('latest')).toBe(second!.commit_hash)
    for (const reference of [hash, hash.slice(0, 8), hash.slice(0, 40), hash.toUpperCase(), 'prod', 'production-eu']) {
      expect(await found(reference), reference).toBe(hash)
    }
    const wrong = [
      hash.slice(0, 7),
      `${hash}0`,
      'producti',
      'no-such',
      '0'.repeat(64),
      'a%',
      'x\0',
      '...',
      '_'.repeat(8),
    ]
    for (const reference of wrong) {
      const answer = await hub.app.fetch(`/commits/-/${repo}/${encodeURIComponent(reference)}`, {
        headers: hub.acme.headers,
      })
      expect(answer.status, reference).toBe(404)
      expect(await answer.json()).toMatchObject({ error: 'Commit not found' })
    }
  })

  it('reports a prefix that matches several commits', async () => {
    const repo = await create()
    const [first] = await committed(repo, '1', '2')
    // Equal prefixes are too rare to occur, so the test writes such rows.
    const twin = `${first!.commit_hash.slice(0, 20)}${'0'.repeat(44)}`
    const { db } = hub.app.deps.relational
    const { id } = (await list(repo)).body.commits[0]!
    await db.update(commitTable).set({ commit_hash: twin }).where(eq(commitTable.id, id))
    const answer = await pull(repo, first!.commit_hash.slice(0, 12))
    expect(answer.status).toBe(404)
    expect(answer.text).toMatch(/not found.*ambiguous/)
    expect((await pull(repo, twin)).body.commit_hash).toBe(twin)
  })

  it('returns the prompt of a chain, or the chain with its model on request', async () => {
    const repo = await create()
    await commit(repo, { manifest: aChain() })
    expect((await pull(repo, 'latest')).body).toMatchObject({ manifest: aManifest(), model_config: null })
    const model = aChain().kwargs.last.kwargs.bound
    for (const query of [{ include_model: 'true' }, { include_model: 'True' }, { include: 'model,is_draft' }]) {
      expect((await pull(repo, 'latest', query as Record<string, string>)).body).toMatchObject({
        manifest: aChain(),
        model_config: model.kwargs,
        model_provider: 'ChatOpenAI',
      })
    }
    expect((await list(repo)).body.commits[0]!.manifest).toEqual(aChain())
  })

  it('returns a playground as a sequence', async () => {
    const repo = await create()
    await commit(repo, { manifest: aChain(['langsmith', 'playground', 'PromptPlayground']) })
    expect((await pull(repo, 'latest')).body.manifest).toEqual(aManifest())
    expect((await pull(repo, 'latest', { include_model: 'true' })).body.manifest).toEqual(aChain())
    const stored = (await list(repo)).body.commits[0]!.manifest
    expect(stored.id).toEqual(['langsmith', 'playground', 'PromptPlayground'])
  })

  it('counts views and downloads', async () => {
    const repo = await create()
    await committed(repo, '1')
    await Promise.all([...Array(5).keys()].map((at) => pull(repo, 'latest', at < 2 ? { is_view: 'true' } : {})))
    expect(await readRepo(repo)).toMatchObject({ num_views: 2, num_downloads: 3 })
    expect((await list(repo)).body.commits[0]).toMatchObject({ num_views: 2, num_downloads: 3 })
  })

  it('responds with 304 when nothing changed', async () => {
    const repo = await create()
    const [made] = await committed(repo, '1')
    const first = await pull(repo, 'latest')
    const etag = first.headers.get('etag')!
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    const ask = (path: string, known: string) =>
      hub.app.fetch(`/commits/-/${repo}/${path}`, { headers: { ...hub.acme.headers, 'if-none-match': known } })
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await ask('latest', known)
      expect(again.status).toBe(304)
      expect(await again.text()).toBe('')
    }
    expect((await ask(made!.commit_hash, etag)).status).toBe(304)
    expect((await ask('latest?include_model=true', etag)).status).toBe(200)
    await committed(repo, '2')
    expect((await ask('latest', etag)).status).toBe(200)
  })

  it('returns example runs to their own workspace only', async () => {
    const id = uuid7()
    const run = `{"id":"${id}","name":"r","run_type":"llm","start_time":"2026-03-01T10:00:00Z","inputs":{"b":1.0,"a":2},"outputs":{"x":"y"}}`
    const ingested = await hub.app.call(runs.create, { body: run, headers: hub.acme.headers })
    expect(ingested.status, ingested.text).toBe(202)
    const repo = await create({ is_public: true })
    await commit(repo, { manifest: aManifest(), example_run_ids: [uuid7(), id] })
    const answer = await pull(repo, 'latest', { get_examples: 'true' })
    expect(answer.body.examples).toEqual([
      {
        id,
        session_id: expect.any(String),
        start_time: '2026-03-01T10:00:00.000000Z',
        inputs: { b: 1, a: 2 },
        outputs: { x: 'y' },
      },
    ])
    expect(answer.text).toContain('"inputs":{"b":1.0,"a":2}')
    expect((await pull(repo, 'latest')).body.examples).toEqual([])
    const theirs = await hub.app.call(promptCommits.read, {
      params: { owner: 'acme', repo, commit: 'latest' },
      query: { get_examples: 'true' },
      headers: hub.other.headers,
    })
    expect(theirs.body).toMatchObject({ examples: [], is_foreign: true })
    const listed = await hub.app.call(promptCommits.list, { params: { owner: 'acme', repo } })
    expect(listed.body.commits).toMatchObject([{ example_run_ids: [], full_name: 'acme' }])
  })
})
