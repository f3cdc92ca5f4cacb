import { contract, type PlainRoute, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aManifest } from '../../testing/a-manifest.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { concurrentRelationalEngines } from '../../testing/relational-engines.ts'
import { type CallInput, type StartedApp, startApp } from '../../testing/start-app.ts'

describe.each(concurrentRelationalEngines)('prompts on %s', (_engine, open) => {
  let app: StartedApp
  let acme: AWorkspace
  let other: AWorkspace
  let nameless: AWorkspace
  const { prompts, promptCommits, workspaces } = contract

  beforeAll(async () => {
    app = await startApp({ relational: await open() })
    acme = await aWorkspace(app, 'acme')
    other = await aWorkspace(app, 'other')
    nameless = await aWorkspace(app)
  })
  afterAll(() => app.close())

  const create = (repo_handle: string, body: object = {}, as: AWorkspace = acme) =>
    app.call(prompts.create, { body: { repo_handle, is_public: false, ...body }, headers: as.headers })
  const read = (owner: string, repo: string, headers: CallInput['headers'] = acme.headers) =>
    app.call(prompts.read, { params: { owner, repo }, headers })
  const change = (owner: string, repo: string, body: object, as: AWorkspace = acme) =>
    app.call(prompts.update, { params: { owner, repo }, body, headers: as.headers })
  const list = async (query: Record<string, string | string[]>, as: AWorkspace = acme) => {
    const answer = await app.call(prompts.list, { query, headers: as.headers })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const names = async (query: Record<string, string | string[]>, as: AWorkspace = acme) =>
    (await list(query, as)).repos.map(({ repo_handle }) => repo_handle)
  const commit = (repo: string, manifest: unknown, as: AWorkspace = acme) =>
    app.call(promptCommits.create, { params: { owner: '-', repo }, body: { manifest }, headers: as.headers })

  describe('the handle of a workspace', () => {
    const setHandle = (tenant_handle: string, as: AWorkspace) =>
      app.call(workspaces.setHandle, { body: { tenant_handle }, headers: as.headers })

    it('is set once, must match its pattern, and is unique', async () => {
      const mine = await aWorkspace(app)
      for (const bad of ['', 'Acme', '1st', '-', '-a', 'a b', 'ä', 'a/b']) {
        expect((await setHandle(bad, mine)).status, bad).toBe(400)
      }
      expect((await setHandle('acme', mine)).status).toBe(409)
      expect((await setHandle('mine_1-x', mine)).body.tenant_handle).toBe('mine_1-x')
      expect((await setHandle('mine_1-x', mine)).status).toBe(200)
      expect((await setHandle('another', mine)).status).toBe(400)
      expect((await app.call(workspaces.settings, { headers: mine.headers })).body.tenant_handle).toBe('mine_1-x')
    })

    it('is given to exactly one of several concurrent requests', async () => {
      const asking = await Promise.all(Array.from({ length: 5 }, () => aWorkspace(app)))
      const answers = await Promise.all(asking.map((one) => setHandle('sought-after', one)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    })
  })

  describe('create a prompt', () => {
    it('returns the whole prompt, like a later read', async () => {
      const made = await create('joke-writer', { description: 'Writes jokes', readme: '# Jokes', tags: ['fun', 'fun'] })
      expect(made.status, made.text).toBe(200)
      expect(made.body.repo).toEqual({
        id: expect.any(String),
        tenant_id: acme.tenantId,
        repo_handle: 'joke-writer',
        owner: 'acme',
        full_name: 'acme/joke-writer',
        description: 'Writes jokes',
        readme: '# Jokes',
        tags: ['fun'],
        is_public: false,
        is_archived: false,
        repo_type: 'prompt',
        source: null,
        restricted_mode: false,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        created_by: 'key of acme',
        num_likes: 0,
        num_downloads: 0,
        num_views: 0,
        num_commits: 0,
        liked_by_auth_user: false,
        last_commit_hash: null,
        commit_tags: [],
        original_repo_id: null,
        original_repo_full_name: null,
        upstream_repo_id: null,
        upstream_repo_full_name: null,
        latest_commit_manifest: null,
        is_foreign: false,
      })
      expect((await read('-', 'joke-writer')).text).toBe(made.text)
      expect((await read('acme', 'joke-writer')).text).toBe(made.text)
    })

    it('rejects a taken name, also of another type or of an archived prompt', async () => {
      await create('taken')
      await change('-', 'taken', { is_archived: true })
      const again = await create('taken', { repo_type: 'agent' })
      expect(again.status).toBe(409)
      expect(again.body).toMatchObject({ error: expect.any(String), detail: expect.any(String) })
      expect((await create('taken', {}, other)).status).toBe(200)
    })

    it('accepts one of several concurrent requests with the same name', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => create('wanted')))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
    })

    it.each(['', 'Upper', '1a', 'a/b', 'a b', '-', 'ä', 'a\0', `a${'b'.repeat(200)}`])(
      'rejects the name %j with the pattern in the message',
      async (name) => {
        const answer = await create(name)
        expect(answer.status).toBe(400)
        expect(answer.text).toContain('^[a-z][a-z0-9-_]*$')
      },
    )

    it('requires a handle for a public prompt', async () => {
      const answer = await create('mine', { is_public: true }, nameless)
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({
        detail: 'Cannot create a public prompt without first creating a handle',
        error: 'Cannot create a public prompt without first creating a handle',
      })
      expect((await create('mine', {}, nameless)).body.repo).toMatchObject({ owner: null, full_name: '-/mine' })
      expect((await change('-', 'mine', { is_public: true }, nameless)).status).toBe(400)
    })

    it('leaves it to admins to make a prompt public', async () => {
      const asMember = { ...acme, headers: acme.memberHeaders }
      expect((await create('published', { is_public: true }, asMember)).status).toBe(403)
      expect((await create('published', {}, asMember)).status).toBe(200)
      const refused = await change('-', 'published', { is_public: true, readme: 'r' }, asMember)
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('Only admins make prompts public')])
      expect((await change('-', 'published', { is_public: true })).status).toBe(200)
      expect((await change('-', 'published', { is_public: true, readme: 'r' }, asMember)).status).toBe(200)
    })

    it('rejects read-only keys', async () => {
      const answer = await app.call(prompts.create, {
        body: { repo_handle: 'read-only', is_public: false },
        headers: acme.readOnlyHeaders,
      })
      expect(answer.status).toBe(403)
    })
  })

  describe('change a prompt', () => {
    it('refuses a change of a text that was changed since it was read', async () => {
      await create('expected', { readme: 'read', tags: ['a'] })
      const expected = { readme: 'read', tags: ['a'], description: '' }
      expect((await change('acme', 'expected', { readme: 'first', expected })).status).toBe(200)
      const late = await change('acme', 'expected', { readme: 'second', expected })
      expect(late.status).toBe(409)
      expect(late.body).toMatchObject({ detail: [{ loc: ['body', 'readme'], type: 'changed' }] })
      expect((await read('acme', 'expected')).body).toMatchObject({ repo: { readme: 'first' } })
      expect((await change('acme', 'expected', { readme: 'third' })).status).toBe(200)
    })

    it('keeps absent fields and updates updated_at', async () => {
      const { repo } = (await create('changing', { description: 'one', readme: 'two', tags: ['three'] })).body
      const changed = (await change('acme', 'changing', { tags: [], description: '' })).body.repo
      expect(changed).toMatchObject({ description: '', readme: 'two', tags: [], is_public: false })
      expect(changed.updated_at >= repo.updated_at).toBe(true)
      const opened = (await change('-', 'changing', { is_public: true, is_archived: true, readme: null })).body.repo
      expect(opened).toMatchObject({ is_public: true, is_archived: true, readme: null, description: '' })
    })

    it('responds to a deletion with JSON, once', async () => {
      await create('leaving')
      const remove = () => app.call(prompts.delete, { params: { owner: '-', repo: 'leaving' }, headers: acme.headers })
      expect((await remove()).text).toBe('{}')
      const again = await remove()
      expect(again.status).toBe(404)
      expect(again.text).toContain('not found')
      expect((await create('leaving')).status).toBe(200)
    })

    it('deletes several, and reports the missing ones', async () => {
      const ids = await Promise.all(
        ['many-1', 'many-2', 'many-3'].map(async (name) => (await create(name)).body.repo.id),
      )
      const theirs = (await create('many-theirs', {}, other)).body.repo.id
      const remove = (repo_ids: string[]) =>
        app.call(prompts.deleteMany, { query: { repo_ids }, headers: acme.headers })

      expect((await remove(ids.slice(0, 2))).status).toBe(200)
      const part = await remove([ids[2]!, theirs])
      expect(part.status).toBe(207)
      expect(part.body).toEqual({
        deleted: [ids[2]],
        errors: [{ repo_id: theirs, error: 'Repository not found' }],
      })
      expect((await remove([theirs])).status).toBe(404)
      expect((await remove([])).status).toBe(400)
      expect((await remove(Array.from({ length: 101 }, () => uuid7()))).status).toBe(400)
      expect((await read('-', 'many-theirs', other.headers)).status).toBe(200)
    })
  })

  describe('visibility', () => {
    beforeAll(async () => {
      await create('seen-public', { is_public: true })
      await create('seen-private')
      await commit('seen-public', aManifest())
      await commit('seen-private', aManifest())
    })

    it('hides private prompts from other workspaces', async () => {
      for (const headers of [other.headers, {}, { 'x-api-key': 'wrong' }]) {
        const answer = await read('acme', 'seen-private', headers)
        expect(answer.status).toBe(404)
        expect(answer.text).toContain('not found')
        expect(answer.text.replace(/"request_id":"[^"]*"/, '')).toBe(
          (await read('acme', 'no-such', headers)).text.replace(/"request_id":"[^"]*"/, ''),
        )
      }
      expect((await read('-', 'seen-private', other.headers)).status).toBe(404)
      expect((await read('unknown', 'seen-private')).status).toBe(404)
      expect((await read('-', 'seen-private', {})).status).toBe(401)
    })

    it('shows public prompts to everyone, marked as foreign and without internal fields', async () => {
      const theirs = (await read('acme', 'seen-public', other.headers)).body.repo
      expect(theirs).toMatchObject({ is_foreign: true, created_by: null, liked_by_auth_user: false })
      const anybodys = await read('acme', 'seen-public', {})
      expect(anybodys.body.repo).toMatchObject({ is_foreign: true, created_by: null, liked_by_auth_user: null })
      expect((await read('acme', 'seen-public', { 'x-api-key': 'wrong' })).status).toBe(200)
      expect((await read('acme', 'seen-public')).body.repo.is_foreign).toBe(false)
    })

    it('rejects changes by other workspaces: 403 for visible prompts, 404 for others', async () => {
      const hash = (await read('acme', 'seen-public')).body.repo.last_commit_hash!
      const commits = await app.call(promptCommits.list, {
        params: { owner: 'acme', repo: 'seen-public' },
        headers: acme.headers,
      })
      const commit_id = commits.body.commits[0]!.id
      const bodies: Record<string, unknown> = {
        update: { description: 'taken over' },
        create: { manifest: aManifest('other'), parent_commit: hash },
        createTag: { tag_name: 'production', commit_id },
        moveTag: { commit_id },
      }
      const writes: [string, PlainRoute][] = [
        ['update', prompts.update],
        ['delete', prompts.delete],
        ['create', promptCommits.create],
        ['createTag', promptCommits.createTag],
        ['moveTag', promptCommits.moveTag],
        ['deleteTag', promptCommits.deleteTag],
      ]
      for (const [name, route] of writes) {
        const send = (repo: string) =>
          app.fetch(route.path.replace('{owner}', 'acme').replace('{repo}', repo).replace('{tag_name}', 'production'), {
            method: route.method,
            headers: { ...other.headers, 'content-type': 'application/json' },
            body: name in bodies ? JSON.stringify(bodies[name]) : null,
          })
        expect((await send('seen-public')).status, name).toBe(403)
        const hidden = await send('seen-private')
        expect(hidden.status, name).toBe(404)
        expect(await hidden.text()).toContain('not found')
      }
    })

    it('accepts every path with and without a trailing slash, under every prefix', async () => {
      for (const prefix of ['', '/v1', '/api', '/api/v1']) {
        for (const path of ['/repos', '/repos/-/seen-public', '/commits/-/seen-public', '/repos/-/seen-public/tags']) {
          for (const end of ['', '/', '?', '/?limit=1']) {
            const answer = await app.fetch(prefix + path + end, { headers: acme.headers, redirect: 'error' })
            expect(answer.status, prefix + path + end).toBe(200)
          }
        }
      }
    })
  })

  describe('list prompts', () => {
    let lister: AWorkspace
    let elsewhere: AWorkspace
    beforeAll(async () => {
      lister = await aWorkspace(app, 'lister')
      elsewhere = await aWorkspace(app, 'elsewhere')
      await create('alpha', { description: 'Speaks of Beta', tags: ['x', 'y'] }, lister)
      await create('beta', { tags: ['x'], is_public: true, source: 'internal' }, lister)
      await create('beta-two', { readme: '100% _sure_' }, lister)
      await create('gone', {}, lister)
      await create('helper', { repo_type: 'agent' }, lister)
      await change('-', 'gone', { is_archived: true }, lister)
      await commit('beta', aManifest('beta'), lister)
      await create('far', { is_public: true, tags: ['x'] }, elsewhere)
      await create('far-private', {}, elsewhere)
    })

    it('returns own prompts, without agents and archived prompts by default', async () => {
      expect((await names({}, lister)).sort()).toEqual(['alpha', 'beta', 'beta-two'])
      expect(await names({ is_archived: 'True' }, lister)).toEqual(['gone'])
      expect((await names({ is_archived: 'allow' }, lister)).sort()).toEqual(['alpha', 'beta', 'beta-two', 'gone'])
      expect(await names({ repo_type: 'agent' }, lister)).toEqual(['helper'])
      expect(await names({ repo_types: ['agent', 'prompt'], query: 'e', is_archived: 'false' }, lister)).toContain(
        'helper',
      )
    })

    it('returns public prompts of other workspaces on request', async () => {
      expect(await names({ is_public: 'true' }, lister)).toEqual(expect.arrayContaining(['beta', 'far']))
      expect(await names({ tenant_handle: 'elsewhere' }, lister)).toEqual(['far'])
      expect(await names({ tenant_id: elsewhere.tenantId }, lister)).toEqual(['far'])
      expect((await names({ tenant_handle: '-' }, lister)).sort()).toEqual(['alpha', 'beta', 'beta-two'])
      expect((await names({ is_public: 'false' }, lister)).sort()).toEqual(['alpha', 'beta-two'])
      expect(await names({ tenant_handle: 'elsewhere', is_public: 'false' }, lister)).toEqual([])
      expect((await names({ tenant_handle: 'elsewhere' }, elsewhere)).sort()).toEqual(['far', 'far-private'])
    })

    it('finds literal text anywhere', async () => {
      expect((await list({ query: 'alpha' }, lister)).total).toBe(1)
      expect((await names({ query: 'BETA', match_prefix: 'true' }, lister)).sort()).toEqual([
        'alpha',
        'beta',
        'beta-two',
      ])
      expect(await names({ query: '100% _' }, lister)).toEqual(['beta-two'])
      expect(await names({ query: '%' }, lister)).toEqual(['beta-two'])
      expect(await names({ query: 'nul\0' }, lister)).toEqual([])
      expect(await names({ query: 'beta', sort_field: 'relevance' }, lister)).toEqual(['beta', 'beta-two', 'alpha'])
    })

    it('filters by tags, commits and source', async () => {
      expect((await names({ tags: ['x'] }, lister)).sort()).toEqual(['alpha', 'beta'])
      expect(await names({ tags: ['x', 'y'] }, lister)).toEqual(['alpha'])
      expect(await names({ has_commits: 'true' }, lister)).toEqual(['beta'])
      expect((await names({ has_commits: 'false' }, lister)).sort()).toEqual(['alpha', 'beta-two'])
      expect(await names({ source: 'internal' }, lister)).toEqual(['beta'])
      const tags = await app.call(prompts.listTags, { headers: lister.headers })
      expect(tags.body).toEqual({
        tags: [
          { tag: 'x', count: 2 },
          { tag: 'y', count: 1 },
        ],
      })
    })

    it('sorts by every field in both directions, over all pages', async () => {
      const byTime = (await list({ sort_field: 'updated_at', sort_direction: 'desc' }, lister)).repos
      const times = byTime.map(({ updated_at }) => updated_at)
      expect(times).toEqual([...times].sort().reverse())
      const up = await names({ sort_field: 'updated_at', sort_direction: 'asc' }, lister)
      expect(up).toEqual(byTime.map(({ repo_handle }) => repo_handle).reverse())
      for (const sort_field of ['num_likes', 'num_downloads', 'num_views', 'relevance']) {
        expect(await names({ sort_field }, lister)).toHaveLength(3)
      }
      const paged = await Promise.all([0, 1, 2, 3].map((at) => list({ limit: '1', offset: String(at) }, lister)))
      expect(paged.map(({ total }) => total)).toEqual([3, 3, 3, 3])
      expect(paged.flatMap(({ repos }) => repos.map(({ id }) => id))).toEqual(byTime.map(({ id }) => id))
      for (const bad of ['0', '101', 'x']) {
        expect((await app.call(prompts.list, { query: { limit: bad }, headers: lister.headers })).status).toBe(400)
      }
    })

    it('includes the newest manifests on request', async () => {
      const [beta] = (await list({ with_latest_manifest: 'true', query: 'beta', has_commits: 'true' }, lister)).repos
      expect(beta!.latest_commit_manifest).toEqual({
        commit_hash: beta!.last_commit_hash,
        manifest: aManifest('beta'),
        examples: [],
      })
      expect((await list({ with_latest_manifest: 'true', query: 'no such' }, lister)).repos).toEqual([])
      expect((await list({ query: 'beta', has_commits: 'true' }, lister)).repos[0]!.latest_commit_manifest).toBeNull()
    })

    it('returns 20 by default', async () => {
      const many = await aWorkspace(app)
      for (let at = 0; at < 22; at++) await create(`many-${at}`, {}, many)
      const page = await list({}, many)
      expect(page.repos).toHaveLength(20)
      expect(page.total).toBe(22)
      const stats = await app.call(workspaces.stats, { headers: many.headers })
      expect(stats.body.repo_count).toBe(22)
    })
  })

  describe('likes', () => {
    it('count once per workspace, including other workspaces', async () => {
      await create('likeable', { is_public: true })
      const like = async (as: AWorkspace, isLiked: boolean) =>
        (
          await app.call(prompts.like, {
            params: { owner: 'acme', repo: 'likeable' },
            body: { like: isLiked },
            headers: as.headers,
          })
        ).body.likes
      await Promise.all([like(acme, true), like(other, true), like(acme, true), like(other, true)])
      expect(await like(acme, true)).toBe(2)
      expect((await read('acme', 'likeable')).body.repo).toMatchObject({ num_likes: 2, liked_by_auth_user: true })
      expect(await like(acme, false)).toBe(1)
      expect(await like(acme, false)).toBe(1)
      expect(await like(other, false)).toBe(0)
      expect((await read('acme', 'likeable')).body.repo).toMatchObject({ num_likes: 0, liked_by_auth_user: false })
    })

    it('are rejected for invisible prompts', async () => {
      await create('unlikeable')
      const params = { owner: 'acme', repo: 'unlikeable' }
      const answer = await app.call(prompts.like, { params, body: { like: true }, headers: other.headers })
      expect(answer.status).toBe(404)
    })
  })

  describe('comments', () => {
    it('are created, answered, liked and paged', async () => {
      const { id } = (await create('talked-about', { is_public: true })).body.repo
      const params = { owner: 'acme', repo: 'talked-about' }
      const say = (content: string, as: AWorkspace) =>
        app.call(prompts.comment, { params, body: { content }, headers: as.headers })
      const first = (await say('first', acme)).body
      await say('<script>alert(1)</script>', other)
      expect(first).toMatchObject({ comment_on: id, parent_id: null, comment_by_name: 'acme', num_likes: 0 })

      const under = { ...params, comment_id: first.id }
      const reply = await app.call(prompts.reply, { params: under, body: { content: 'reply' }, headers: other.headers })
      expect(reply.body).toMatchObject({ parent_id: first.id, comment_by_name: 'other' })
      await app.call(prompts.likeComment, { params: under, headers: other.headers })
      await app.call(prompts.likeComment, { params: under, headers: other.headers })

      const all = await app.call(prompts.listComments, { params, headers: other.headers })
      expect(all.body.total).toBe(2)
      expect(all.body.comments.at(-1)).toMatchObject({
        content: 'first',
        num_sub_comments: 1,
        num_likes: 1,
        liked_by_auth_user: true,
      })
      expect((await app.call(prompts.listReplies, { params: under })).body).toMatchObject({
        total: 1,
        comments: [{ content: 'reply', liked_by_auth_user: null }],
      })
      await app.call(prompts.unlikeComment, { params: under, headers: other.headers })
      const page = await app.call(prompts.listComments, { params, query: { limit: '1', offset: '1' } })
      expect(page.body.comments).toMatchObject([{ content: 'first', num_likes: 0 }])
    })

    it('reject empty text, other repos and invisible prompts', async () => {
      await create('quiet')
      await create('loud', { is_public: true })
      const say = (repo: string, content: string, as: AWorkspace) =>
        app.call(prompts.comment, { params: { owner: 'acme', repo }, body: { content }, headers: as.headers })
      expect((await say('quiet', 'x', other)).status).toBe(404)
      expect((await say('loud', ' ', other)).status).toBe(400)
      expect((await say('loud', 'x'.repeat(10_001), other)).status).toBe(400)
      const quiet = (await say('quiet', 'secret', acme)).body
      const params = { owner: 'acme', repo: 'loud', comment_id: quiet.id }
      expect((await app.call(prompts.listReplies, { params, headers: other.headers })).status).toBe(404)
      expect((await app.call(prompts.likeComment, { params, headers: other.headers })).status).toBe(404)
    })
  })
})
