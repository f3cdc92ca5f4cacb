import { createHash } from 'node:crypto'
import { contract, uuid7 } from '@touchstone/contract'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aChain, aManifest } from '../../testing/a-manifest.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { type CallInput, type StartedApp, startApp } from '../../testing/start-app.ts'
import { promptCommits as commitTable } from '../prompts/index.ts'
import { commitPrompt } from './commit-prompt.ts'
import type { HubEvent } from './doors.ts'
import { setTag } from './move-tag.ts'

describe.each(relationalEngines)('commits of prompts on %s', (_engine, open) => {
  let app: StartedApp
  let acme: AWorkspace
  let other: AWorkspace
  const { prompts, promptCommits, runs } = contract
  let named = 0

  beforeAll(async () => {
    app = await startApp({ relational: await open() })
    acme = await aWorkspace(app, 'acme')
    other = await aWorkspace(app, 'other')
  })
  afterAll(() => app.close())

  const create = async (body: object = {}, as: AWorkspace = acme): Promise<string> => {
    const repo_handle = `prompt-${++named}`
    const made = await app.call(prompts.create, {
      body: { repo_handle, is_public: false, ...body },
      headers: as.headers,
    })
    expect(made.status, made.text).toBe(200)
    return repo_handle
  }
  const commit = (repo: string, body: unknown, as: AWorkspace = acme) =>
    app.call(promptCommits.create, { params: { owner: '-', repo }, body, headers: as.headers })
  const list = (repo: string, query: Record<string, string> = {}, headers: CallInput['headers'] = acme.headers) =>
    app.call(promptCommits.list, { params: { owner: '-', repo }, query, headers })
  const pull = (repo: string, reference: string, query: Record<string, string> = {}, as: AWorkspace = acme) =>
    app.call(promptCommits.read, { params: { owner: '-', repo, commit: reference }, query, headers: as.headers })
  const readRepo = async (repo: string) =>
    (await app.call(prompts.read, { params: { owner: '-', repo }, headers: acme.headers })).body.repo
  const tag = (repo: string, tag_name: string, commit_id: string) =>
    app.call(promptCommits.createTag, {
      params: { owner: '-', repo },
      body: { tag_name, commit_id },
      headers: acme.headers,
    })
  const committed = async (repo: string, ...templates: string[]) => {
    const made = []
    for (const template of templates) {
      const answer = await commit(repo, { manifest: aManifest(template) })
      expect(answer.status, answer.text).toBe(201)
      made.push(answer.body.commit)
    }
    return made
  }

  describe('committing', () => {
    it('answers the commit, and shows in the prompt', async () => {
      const repo = await create()
      const before = await readRepo(repo)
      const example = uuid7()
      const first = await commit(repo, { manifest: aManifest('1'), example_run_ids: [example], description: 'first' })
      expect(first.status, first.text).toBe(201)
      expect(first.body.commit).toEqual({
        id: expect.any(String),
        commit_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        parent_id: null,
        parent_commit_hash: null,
        repo_id: before.id,
        manifest: aManifest('1'),
        created_at: expect.any(String),
        updated_at: expect.any(String),
        example_run_ids: [example],
        num_downloads: 0,
        num_views: 0,
        full_name: 'key of acme',
        description: 'first',
      })
      const parent = first.body.commit.commit_hash
      const second = await commit(repo, { manifest: aManifest('2'), parent_commit: parent })
      expect(second.body.commit).toMatchObject({ parent_id: first.body.commit.id, parent_commit_hash: parent })
      const after = await readRepo(repo)
      expect(after).toMatchObject({ num_commits: 2, last_commit_hash: second.body.commit.commit_hash })
      expect(after.updated_at >= before.updated_at).toBe(true)
    })

    it('hashes the parent and the canonical manifest, so a replayed history has the same hashes', async () => {
      const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
      const first = sha256('[null,{"a":[1,0.5],"id":["x","PromptTemplate"],"z":"é"}]')
      const second = sha256(`["${first}",{"id":["PromptTemplate"]}]`)
      for (const as of [acme, other]) {
        const repo = await create({}, as)
        const one = await commit(repo, '{"manifest":{"z":"\\u00e9","id":["x","PromptTemplate"],"a":[1.0,5e-1]}}', as)
        expect(one.body.commit.commit_hash).toBe(first)
        const two = await commit(repo, { manifest: { id: ['PromptTemplate'] } }, as)
        expect(two.body.commit.commit_hash).toBe(second)
      }
    })

    it.each([
      [{ hi: 'hello' }, 'Manifest must have an id field'],
      [{ id: [] }, 'Manifest must have an id field'],
      [{ id: 'PromptTemplate' }, 'Manifest must have an id field'],
      [{ id: [1] }, 'Manifest must have an id field'],
      [{ id: ['hi'] }, 'Manifest type hi is not supported'],
      [{ id: ['langchain', 'os', 'System'] }, 'Manifest type System is not supported'],
    ])('refuses the manifest %j', async (manifest, says) => {
      const answer = await commit(await create(), { manifest })
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({ error: says, detail: says })
    })

    it('refuses an id that only a prototype would have', async () => {
      const answer = await commit(await create(), '{"manifest":{"__proto__":{"id":["PromptTemplate"]}}}')
      expect(answer.status).toBe(400)
      expect(answer.text).toContain('Manifest must have an id field')
    })

    it('refuses what is no object, and a description that is too long', async () => {
      const repo = await create()
      for (const body of [{}, { manifest: null }, { manifest: [] }, { manifest: 'x' }]) {
        expect((await commit(repo, body)).status).toBe(400)
      }
      expect((await commit(repo, { manifest: aManifest(), description: 'x'.repeat(1001) })).status).toBe(400)
      expect((await commit(repo, { manifest: aManifest(), description: '\0' })).status).toBe(400)
      expect((await readRepo(repo)).num_commits).toBe(0)
    })

    it('refuses what says nothing new: key order, spacing and notes of a pull do not count', async () => {
      const repo = await create()
      await committed(repo, 'a')
      const { lc, type, id, kwargs } = aManifest('a') as Record<string, object>
      const notes = { lc_hub_owner: '-', lc_hub_repo: repo, lc_hub_commit_hash: 'x' }
      for (const manifest of [
        { kwargs, id, type, lc },
        { lc, type, id, kwargs: { ...kwargs, metadata: notes } },
      ]) {
        const answer = await commit(repo, { manifest })
        expect(answer.status).toBe(409)
        expect(answer.body).toMatchObject({
          error: 'Nothing to commit: prompt has not changed since latest commit',
        })
      }
      const changed = { lc, type, id, kwargs: { ...kwargs, metadata: { ...notes, mine: 1 } } }
      expect((await commit(repo, { manifest: changed })).status).toBe(201)
      const again = { ...changed, kwargs: { ...changed.kwargs, metadata: { mine: 1, lc_hub_owner: 'elsewhere' } } }
      expect((await commit(repo, { manifest: again })).status).toBe(409)
      expect((await commit(repo, { manifest: aManifest('a') })).status).toBe(201)
    })

    it('does not take big integers for each other', async () => {
      const repo = await create()
      const of = (n: string) => `{"manifest":{"id":["PromptTemplate"],"n":${n}}}`
      expect((await commit(repo, of('9007199254740992'))).status).toBe(201)
      expect((await commit(repo, of('9007199254740993'))).status).toBe(201)
      expect((await commit(repo, of('9007199254740993.0'))).status).toBe(409)
    })

    it('refuses a parent that is not the newest commit', async () => {
      const repo = await create()
      expect((await commit(repo, { manifest: aManifest('0'), parent_commit: 'a'.repeat(64) })).status).toBe(409)
      const [first, second] = await committed(repo, '1', '2')
      for (const parent_commit of [first!.commit_hash, second!.commit_hash.slice(0, 7), 'nonsense', 'f'.repeat(65)]) {
        const answer = await commit(repo, { manifest: aManifest('3'), parent_commit })
        expect(answer.status, parent_commit).toBe(409)
        expect(answer.body).toMatchObject({ error: 'Parent commit is not the latest commit' })
      }
      const prefix = second!.commit_hash.slice(0, 8).toUpperCase()
      expect((await commit(repo, { manifest: aManifest('3'), parent_commit: prefix })).status).toBe(201)
      expect((await commit(repo, { manifest: aManifest('4'), parent_commit: 'latest' })).status).toBe(201)
      expect((await commit(repo, { manifest: aManifest('5'), parent_commit: null })).status).toBe(201)
    })

    it('says that a prompt is not there, or not the caller’s', async () => {
      const answer = await commit('no-such-prompt', { manifest: aManifest() })
      expect(answer.status).toBe(404)
      expect(answer.text).toContain('not found')
      const repo = await create({ is_public: true })
      const params = { owner: 'acme', repo }
      const theirs = await app.call(promptCommits.create, {
        params,
        body: { manifest: aManifest() },
        headers: other.headers,
      })
      expect(theirs.status).toBe(403)
    })
  })

  describe('many writers', () => {
    it('of one parent: exactly one wins, twenty times over', async () => {
      const repo = await create()
      let parent: string | null = null
      for (let round = 1; round <= 20; round++) {
        const answers = await Promise.all(
          Array.from({ length: 12 }, (_, writer) =>
            commit(repo, { manifest: aManifest(`${round}/${writer}`), parent_commit: parent }),
          ),
        )
        // Without a parent the newest is meant, whichever that is: then all of them win, one after the other.
        const won = answers.filter(({ status }) => status === 201)
        expect(won).toHaveLength(parent === null ? 12 : 1)
        expect(answers.filter(({ status }) => status === 409)).toHaveLength(12 - won.length)
        parent = (await readRepo(repo)).last_commit_hash
        expect(won.map(({ body }) => body.commit.commit_hash)).toContain(parent)
      }
      await expectWhole(repo, 12 + 19)
    }, 120_000)

    it('of the same manifest: one commit comes of it', async () => {
      const repo = await create()
      const answers = await Promise.all(Array.from({ length: 12 }, () => commit(repo, { manifest: aManifest() })))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(409)])
      await expectWhole(repo, 1)
    })

    /** Every commit names the one before it, and the prompt the last. */
    async function expectWhole(repo: string, count: number): Promise<void> {
      const { commits, total } = (await list(repo, { limit: '100' })).body
      expect(total).toBe(count)
      const { num_commits, last_commit_hash } = await readRepo(repo)
      expect({ num_commits, last_commit_hash }).toEqual({
        num_commits: count,
        last_commit_hash: commits[0]!.commit_hash,
      })
      commits.forEach(({ parent_commit_hash, parent_id }, at) => {
        expect(parent_commit_hash).toBe(commits[at + 1]?.commit_hash ?? null)
        expect(parent_id).toBe(commits[at + 1]?.id ?? null)
      })
    }
  })

  describe('manifests', () => {
    const deep = `${'{"a":['.repeat(500)}1${']}'.repeat(500)}`
    it.each([
      ['key order, digits and spacing', '"z": 12345678901234567890.10, "a":1e400, "b" : [1.0 , -0]'],
      ['prototypes', '"__proto__":{"x":1},"constructor":{"prototype":{"y":2}}'],
      ['NUL and half surrogate pairs', '"nul":"\\u0000","half":"\\ud800","\\udfff":1'],
      ['duplicate keys', '"d":1,"d":2'],
      ['a thousand levels', `"deep":${deep}`],
      ['five megabytes', `"big":"${'\\"ä'.repeat(1_250_000)}"`],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: that is what must not be run
      ['templates and secrets', '"t":"{{#each}}${7*7}{% x %}","s":{"lc":1,"type":"secret","id":["KEY"]}'],
      ['scripts', '"s":"</script><img src=x onerror=alert(1)>"'],
    ])('come back as they were: %s', async (_what, inside) => {
      const repo = await create()
      const manifest = `{"id":["PromptTemplate"],${inside}}`
      const made = await commit(repo, `{"description":"d","manifest":${manifest}}`)
      expect(made.status, made.text.slice(0, 300)).toBe(201)
      expect(made.text.includes(`"manifest":${manifest}`)).toBe(true)
      for (const query of [{}, { include_model: 'true' }]) {
        expect((await pull(repo, 'latest', query)).text.includes(`"manifest":${manifest}`)).toBe(true)
      }
      expect((await list(repo)).text.includes(`"manifest":${manifest}`)).toBe(true)
      const listed = await app.call(prompts.list, {
        query: { with_latest_manifest: 'true', query: repo },
        headers: acme.headers,
      })
      expect(listed.text.includes(`"manifest":${manifest}`)).toBe(true)
      expect((await commit(repo, `{"manifest":${manifest}}`)).status).toBe(409)
    })

    it('may be neither nothing but brackets nor larger than 20 MiB', async () => {
      const repo = await create()
      const of = (depth: number) =>
        app.fetch(`/commits/-/${repo}`, {
          method: 'POST',
          headers: acme.headers,
          body: `{"manifest":{"id":["PromptTemplate"],"x":${'['.repeat(depth)}${']'.repeat(depth)}}}`,
        })
      expect((await of(9_999)).status).toBe(201)
      expect((await of(200_000)).status).toBe(400)
      const large = `{"manifest":{"id":["PromptTemplate"],"x":"${'x'.repeat(20 * 1024 * 1024)}"}}`
      expect((await commit(repo, large)).status).toBe(413)
    })
  })

  describe('listing', () => {
    it('is newest first, and counts all', async () => {
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

    it('may be of a tag', async () => {
      const repo = await create()
      const [first] = await committed(repo, '1', '2')
      await tag(repo, 'v1', first!.id)
      expect((await list(repo, { tag: 'v1' })).body).toEqual({ commits: [first], total: 1 })
      expect((await list(repo, { tag: 'v2' })).body).toEqual({ commits: [], total: 0 })
      expect((await list(repo, { tag: '\0' })).body).toEqual({ commits: [], total: 0 })
    })

    it('answers a pull of `name:` too, whose path is that of the list', async () => {
      const repo = await create()
      const empty = await app.fetch(`/commits/-/${repo}/`, { headers: acme.headers })
      expect(await empty.json()).toEqual({ commits: [], total: 0 })
      const [first] = await committed(repo, '1')
      for (const end of ['', '/', '?include_model=true']) {
        const answer = await (await app.fetch(`/commits/-/${repo}${end}`, { headers: acme.headers })).json()
        expect(answer).toMatchObject({
          commits: [{ id: first!.id }],
          commit_hash: first!.commit_hash,
          manifest: aManifest('1'),
          examples: [],
        })
      }
      const asList = await (await app.fetch(`/commits/-/${repo}/?offset=0`, { headers: acme.headers })).json()
      expect(Object.keys(asList as object)).toEqual(['commits', 'total'])
    })
  })

  describe('pulling', () => {
    it('answers what clients build strict models from, and nothing they add themselves', async () => {
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

    it('knows latest, hashes, their beginnings and tags', async () => {
      const repo = await create()
      expect((await pull(repo, 'latest')).status).toBe(404)
      const [first, second] = await committed(repo, '1', '2')
      await tag(repo, 'prod', first!.id)
      await tag(repo, 'production-eu', first!.id)
      const hash = first!.commit_hash
      const found = async (reference: string) => (await pull(repo, reference)).body.commit_hash
      expect(await found('latest')).toBe(second!.commit_hash)
      for (const reference of [
        hash,
        hash.slice(0, 8),
        hash.slice(0, 40),
        hash.toUpperCase(),
        'prod',
        'production-eu',
      ]) {
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
        const answer = await app.fetch(`/commits/-/${repo}/${encodeURIComponent(reference)}`, { headers: acme.headers })
        expect(answer.status, reference).toBe(404)
        expect(await answer.json()).toMatchObject({ error: 'Commit not found' })
      }
    })

    it('names the ambiguity of a beginning that fits several', async () => {
      const repo = await create()
      const [first] = await committed(repo, '1', '2')
      // Nobody finds two hashes that begin alike in a test; the rows are made to.
      const twin = `${first!.commit_hash.slice(0, 20)}${'0'.repeat(44)}`
      const { db } = app.deps.relational
      const { id } = (await list(repo)).body.commits[0]!
      await db.update(commitTable).set({ commit_hash: twin }).where(eq(commitTable.id, id))
      const answer = await pull(repo, first!.commit_hash.slice(0, 12))
      expect(answer.status).toBe(404)
      expect(answer.text).toMatch(/not found.*ambiguous/)
      expect((await pull(repo, twin)).body.commit_hash).toBe(twin)
    })

    it('gives the prompt of a chain, or the chain when the model is asked for', async () => {
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

    it('shows a playground as a sequence', async () => {
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

    it('says in one line that nothing is new', async () => {
      const repo = await create()
      const [made] = await committed(repo, '1')
      const first = await pull(repo, 'latest')
      const etag = first.headers.get('etag')!
      expect(first.headers.get('cache-control')).toBe('private, no-cache')
      const ask = (path: string, known: string) =>
        app.fetch(`/commits/-/${repo}/${path}`, { headers: { ...acme.headers, 'if-none-match': known } })
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

    it('shows example runs to their own workspace', async () => {
      const id = uuid7()
      const run = `{"id":"${id}","name":"r","run_type":"llm","start_time":"2026-03-01T10:00:00Z","inputs":{"b":1.0,"a":2},"outputs":{"x":"y"}}`
      const ingested = await app.call(runs.create, { body: run, headers: acme.headers })
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
      const theirs = await app.call(promptCommits.read, {
        params: { owner: 'acme', repo, commit: 'latest' },
        query: { get_examples: 'true' },
        headers: other.headers,
      })
      expect(theirs.body).toMatchObject({ examples: [], is_foreign: true })
      const listed = await app.call(promptCommits.list, { params: { owner: 'acme', repo } })
      expect(listed.body.commits).toMatchObject([{ example_run_ids: [], full_name: 'acme' }])
    })
  })

  describe('tags', () => {
    const history = (repo: string, name: string, query: Record<string, string> = {}, headers = acme.headers) =>
      app.call(promptCommits.tagHistory, { params: { owner: 'acme', repo, tag_name: name }, query, headers })

    it('are set, moved by POST and PATCH, listed, and removed', async () => {
      const repo = await create()
      const [first, second] = await committed(repo, '1', '2')
      const made = await tag(repo, 'production', first!.id)
      expect(made.body).toEqual({
        id: expect.any(String),
        repo_id: first!.repo_id,
        commit_id: first!.id,
        commit_hash: first!.commit_hash,
        tag_name: 'production',
        created_at: expect.any(String),
        updated_at: expect.any(String),
      })
      const moved = await tag(repo, 'production', second!.id)
      expect(moved.status).toBe(200)
      expect(moved.body).toMatchObject({ id: made.body.id, commit_hash: second!.commit_hash })
      expect((await tag(repo, 'production', second!.id)).body).toEqual(moved.body)

      const params = { owner: '-', repo, tag_name: 'production' }
      const patch = (tag_name: string) =>
        app.call(promptCommits.moveTag, {
          params: { ...params, tag_name },
          body: { commit_id: first!.id },
          headers: acme.headers,
        })
      expect((await patch('production')).body.commit_id).toBe(first!.id)
      expect((await patch('staging')).status).toBe(404)
      await tag(repo, 'a.b_c-1', second!.id)
      const all = await app.call(promptCommits.listTags, { params, headers: acme.headers })
      expect(all.body.map(({ tag_name }) => tag_name)).toEqual(['a.b_c-1', 'production'])
      expect((await readRepo(repo)).commit_tags).toEqual(['a.b_c-1', 'production'])

      const remove = () => app.call(promptCommits.deleteTag, { params, headers: acme.headers })
      expect((await remove()).text).toBe('null')
      expect((await remove()).status).toBe(404)
      expect((await app.call(promptCommits.readTag, { params, headers: acme.headers })).status).toBe(404)
      expect((await pull(repo, 'production')).status).toBe(404)
    })

    it('remember who moved them when, newest first, also when they are gone', async () => {
      const repo = await create({ is_public: true })
      const [first, second] = await committed(repo, '1', '2')
      await tag(repo, 'live', first!.id)
      await tag(repo, 'live', first!.id)
      await tag(repo, 'live', second!.id)
      const params = { owner: '-', repo, tag_name: 'live' }
      await app.call(promptCommits.deleteTag, { params, headers: acme.headers })

      const { body } = await history(repo, 'live')
      const by = { performed_by: acme.keyId, performed_by_name: 'key of acme', tag_name: 'live' }
      expect(body.total).toBe(3)
      expect(body.transitions).toMatchObject([
        { ...by, from_commit_hash: second!.commit_hash, to_commit_id: null, to_commit_hash: null },
        { ...by, from_commit_id: first!.id, to_commit_id: second!.id },
        { ...by, from_commit_id: null, from_commit_hash: null, to_commit_hash: first!.commit_hash },
      ])
      expect((await history(repo, 'live', { limit: '1', offset: '2' })).body.transitions).toEqual(
        body.transitions.slice(2),
      )
      const theirs = (await history(repo, 'live', {}, other.headers)).body.transitions[0]!
      expect(theirs).toMatchObject({ performed_by: null, performed_by_name: null })
      expect((await history(repo, 'never')).status).toBe(404)
    })

    it.each(['', 'latest', 'deadbeef', 'DEADBEEF00', 'a b', 'a/b', 'ä', 'a\0', 'x'.repeat(201)])(
      'refuse the name %j',
      async (name) => {
        const repo = await create()
        const [first] = await committed(repo, '1')
        expect((await tag(repo, name, first!.id)).status).toBe(400)
      },
    )

    it('may look like the beginning of a hash while they are short', async () => {
      const repo = await create()
      const [first] = await committed(repo, '1', '2')
      await tag(repo, 'deadbee', first!.id)
      expect((await pull(repo, 'deadbee')).body.commit_hash).toBe(first!.commit_hash)
    })

    it('stand for commits of their own prompt only', async () => {
      const [elsewhere] = await committed(await create(), '1')
      const answer = await tag(await create(), 'v1', elsewhere!.id)
      expect(answer.status).toBe(404)
      expect(answer.text).toContain('not found')
    })

    it('set at once from many sides end on one commit, with a history that adds up', async () => {
      const repo = await create()
      const made = await committed(repo, ...Array.from({ length: 6 }, (_, at) => String(at)))
      const answers = await Promise.all(made.map(({ id }) => tag(repo, 'live', id)))
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
      const { transitions } = (await history(repo, 'live')).body
      expect(transitions).toHaveLength(6)
      transitions.forEach(({ from_commit_id }, at) => {
        expect(from_commit_id).toBe(transitions[at + 1]?.to_commit_id ?? null)
      })
      expect((await pull(repo, 'live')).body.commit_hash).toBe(transitions[0]!.to_commit_hash)
    })

    it('that are protected are moved by nobody else', async () => {
      const repo = await create()
      const [first] = await committed(repo, '1')
      const events: HubEvent[] = []
      const deps = {
        ...app.deps,
        onCommit: async (event: HubEvent) => void events.push(event),
        mayMoveTag: async ({ tagName }: { tagName: string }) => tagName !== 'production',
      }
      const caller = { tenantId: acme.tenantId, keyId: acme.keyId, keyName: 'k', readOnly: false }
      const set = (tagName: string) => setTag(deps, caller, { owner: '-', repo }, { tagName, commitId: first!.id })
      await expect(set('production')).rejects.toMatchObject({ code: 'FORBIDDEN' })
      await set('staging')
      expect(events.map(({ event, tagName }) => [event, tagName])).toEqual([['tag:create', 'staging']])
    })
  })

  describe('events', () => {
    it('are told after the fact, and a listener that fails fails nobody', async () => {
      const repo = await create()
      const heard: [string, string | undefined, number][] = []
      const onCommit = async ({ event, tagName, repo: { id } }: HubEvent) => {
        const { body } = await list(repo)
        heard.push([event, tagName, body.total])
        expect(id).toBe(body.commits[0]!.repo_id)
        throw new Error('the receiver is away')
      }
      const deps = { ...app.deps, onCommit, mayMoveTag: async () => true }
      const caller = { tenantId: acme.tenantId, keyId: undefined, keyName: undefined, readOnly: false }
      const body = { manifest: aManifest() }
      const path = { owner: '-', repo }
      const { commit: made } = await commitPrompt(deps, caller, path, { body, bodyText: JSON.stringify(body) })
      await setTag(deps, caller, path, { tagName: 'v1', commitId: made.id })
      await setTag(deps, caller, path, { tagName: 'v1', commitId: made.id })
      expect(heard).toEqual([
        ['commit', undefined, 1],
        ['tag:create', 'v1', 1],
      ])
    })
  })

  describe('forking', () => {
    const fork = (owner: string, repo: string, body: object, as: AWorkspace = other) =>
      app.call(prompts.fork, { params: { owner, repo }, body, headers: as.headers })

    it('copies the newest commit and keeps the lineage', async () => {
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
      const copy = (await pull(`${repo}-fork`, 'latest', {}, other)).body
      expect(copy.manifest).toEqual(second!.manifest)

      const again = await fork('-', `${repo}-fork`, { repo_handle: `${repo}-fork-2` })
      expect(again.body.repo).toMatchObject({
        original_repo_full_name: `acme/${repo}`,
        upstream_repo_full_name: `other/${repo}-fork`,
      })
      const forks = await app.call(prompts.list, {
        query: { upstream_repo_owner: 'acme', upstream_repo_handle: repo },
        headers: other.headers,
      })
      expect(forks.body.repos.map(({ repo_handle }) => repo_handle)).toEqual([`${repo}-fork`])
      const none = await app.call(prompts.list, {
        query: { upstream_repo_owner: '-', upstream_repo_handle: repo },
        headers: other.headers,
      })
      expect(none.body.total).toBe(0)
    })

    it('is not of what cannot be seen, nor over what is there', async () => {
      const hidden = await create()
      expect((await fork('acme', hidden, { repo_handle: 'stolen' })).status).toBe(404)
      const repo = await create({ is_public: true })
      await fork('acme', repo, { repo_handle: `${repo}-fork` })
      expect((await fork('acme', repo, { repo_handle: `${repo}-fork` })).status).toBe(409)
      expect((await fork('acme', repo, { repo_handle: 'Bad Name' })).status).toBe(400)
    })

    it('outlives what it was forked from', async () => {
      const repo = await create({ is_public: true })
      await fork('acme', repo, { repo_handle: `${repo}-kept` })
      await app.call(prompts.delete, { params: { owner: '-', repo }, headers: acme.headers })
      const kept = await app.call(prompts.read, {
        params: { owner: '-', repo: `${repo}-kept` },
        headers: other.headers,
      })
      expect(kept.body.repo.upstream_repo_full_name).toBe(`acme/${repo}`)
    })
  })
})
