import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { changeView, createView, deleteView, selectViews } from './saved-views.ts'
import { startWithProjects } from './testing/start-with-projects.ts'

const { savedViews } = contract
let app: StartedApp
let project: string
let other: string
beforeAll(async () => {
  ;({ app, project, other } = await startWithProjects())
})
afterAll(() => app.close())

const save = (body: object) => app.call(savedViews.create, { body })
const names = async (session_id?: string) =>
  (await app.call(savedViews.list, { query: session_id ? { session_id } : {} })).body.map(({ name }) => name)

describe('saved views', () => {
  it('belong to a project or to the workspace, and are listed by name', async () => {
    const state = { filter: 'and(eq(name, "a"), fuzzy(x))', t: '24h', scope: 'runs', cols: 'name,json:inputs.q' }
    const { body, status } = await save({ name: ' Slow ones ', session_id: project, state })
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'Slow ones', session_id: project, state, is_personal: false })
    await save({ name: 'Everywhere', state: {} })
    await save({ name: 'Elsewhere', session_id: other, state: {} })
    expect(await names(project)).toEqual(['Everywhere', 'Slow ones'])
    expect(await names()).toEqual(['Everywhere'])
  })

  it('have unique names in their project or workspace', async () => {
    const first = await save({ name: 'Errors', session_id: project, state: {} })
    expect((await save({ name: 'Errors', session_id: project, state: {} })).status).toBe(409)
    expect((await save({ name: 'Errors', session_id: other, state: {} })).status).toBe(200)
    expect((await save({ name: 'Errors', state: {} })).status).toBe(200)
    const params = { view_id: first.body.id }
    expect((await app.call(savedViews.update, { params, body: { name: 'Slow ones' } })).status).toBe(409)
    expect((await app.call(savedViews.update, { params, body: { name: 'Errors' } })).status).toBe(200)
  })

  it('are not overwritten when they were changed since they were read', async () => {
    const state = { filter: 'eq(name, "a")', t: '1h' }
    const { body } = await save({ name: 'Shared', session_id: project, state })
    const update = (change: object) => app.call(savedViews.update, { params: { view_id: body.id }, body: change })
    expect((await update({ state: { t: '7d' }, expected: { state } })).status).toBe(200)
    const late = await update({ state: { t: '30d' }, expected: { state } })
    expect(late.status).toBe(409)
    expect(late.body).toMatchObject({ detail: [{ loc: ['body', 'state'], type: 'changed' }] })
    expect((await update({ name: 'Shared 2', expected: { name: 'Shared' } })).status).toBe(200)
    expect((await update({ state: { t: '30d' } })).body).toMatchObject({ name: 'Shared 2', state: { t: '30d' } })
    await app.call(savedViews.delete, { params: { view_id: body.id } })
  })

  it('are renamed, replaced and deleted', async () => {
    const { body } = await save({ name: 'Draft', session_id: project, state: { filter: 'eq(name, "a")', t: '1h' } })
    const params = { view_id: body.id }
    const renamed = (await app.call(savedViews.update, { params, body: { name: 'Final' } })).body
    expect(renamed).toMatchObject({ name: 'Final', state: { filter: 'eq(name, "a")', t: '1h' } })
    const replaced = (await app.call(savedViews.update, { params, body: { state: { t: '7d' } } })).body
    expect(replaced.state).toEqual({ t: '7d' })
    expect((await app.call(savedViews.delete, { params })).status).toBe(200)
    expect(await names(project)).not.toContain('Final')
    const gone = await app.call(savedViews.update, { params, body: { name: 'x' } })
    expect([gone.status, gone.text]).toEqual([404, expect.stringContaining('not found')])
    expect((await app.call(savedViews.delete, { params })).status).toBe(404)
  })

  it('are visible in their workspace only', async () => {
    const { body } = await save({ name: 'Private', state: {} })
    const stranger = { tenantId: uuid7(), identity: uuid7() }
    const { db } = app.deps.relational
    expect(await selectViews(db, stranger, undefined)).toEqual([])
    expect(await deleteView(db, stranger, body.id)).toBe(false)
    await expect(changeView(app.deps, stranger, body.id, { name: 'Mine' })).rejects.toThrow('not found')
    const foreign = { name: 'Theirs', session_id: project, state: {} }
    await expect(createView(app.deps, stranger, foreign)).rejects.toThrow('not found')
  })

  it('are visible to one key when personal, until they are shared', async () => {
    const keyed = await startApp()
    const create = contract.apiKeys.create
    const first = (await keyed.call(create, { body: { description: 'ada' } })).body.key
    const ada = { 'x-api-key': first }
    const bob = { 'x-api-key': (await keyed.call(create, { body: { description: 'bob' }, headers: ada })).body.key }
    const body = { name: 'Mine', state: { t: '1h' }, is_personal: true }
    const mine = await keyed.call(savedViews.create, { body, headers: ada })
    expect(mine.body).toMatchObject({ name: 'Mine', is_personal: true })
    const seenBy = async (headers: Record<string, string>) =>
      (await keyed.call(savedViews.list, { query: {}, headers })).body.map(({ id }) => id)
    expect(await seenBy(ada)).toEqual([mine.body.id])
    expect(await seenBy(bob)).toEqual([])

    const params = { view_id: mine.body.id }
    expect((await keyed.call(savedViews.update, { params, body: { name: 'x' }, headers: bob })).status).toBe(404)
    expect((await keyed.call(savedViews.delete, { params, headers: bob })).status).toBe(404)
    // Names are unique among the personal views of a key, and among the shared views.
    expect((await keyed.call(savedViews.create, { body, headers: ada })).status).toBe(409)
    expect((await keyed.call(savedViews.create, { body, headers: bob })).status).toBe(200)
    const shared = await keyed.call(savedViews.update, { params, body: { is_personal: false }, headers: ada })
    expect(shared.body).toMatchObject({ name: 'Mine', state: { t: '1h' }, is_personal: false })
    expect(await seenBy(bob)).toContain(mine.body.id)
    await keyed.close()
  })

  it('are deleted with their project', async () => {
    const doomed = (await app.call(contract.projects.create, { body: { name: 'doomed' } })).body.id
    await save({ name: 'Gone', session_id: doomed, state: {} })
    await app.call(contract.projects.delete, { params: { session_id: doomed } })
    expect(await names(doomed)).not.toContain('Gone')
  })

  it.each([
    [{ name: '  ', state: {} }],
    [{ name: 'x' }],
    [{ name: 'x', state: { filter: 7 } }],
    [{ name: 'x'.repeat(201), state: {} }],
    [{ name: 'x', session_id: 'no-id', state: {} }],
  ])('reject %j', async (body) => {
    expect((await save(body)).status).toBe(400)
  })
})
