import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StartedApp } from '../../testing/start-app.ts'
import { changeDashboard, createDashboard, deleteDashboard, selectDashboard, selectDashboards } from './dashboards.ts'
import { startWithProjects } from './testing/start-with-projects.ts'

const { dashboards } = contract
let app: StartedApp
let project: string
let other: string
beforeAll(async () => {
  ;({ app, project, other } = await startWithProjects())
})
afterAll(() => app.close())

const save = (body: object) => app.call(dashboards.create, { body })
const names = async (session_id?: string) =>
  (await app.call(dashboards.list, { query: session_id ? { session_id } : {} })).body.map(({ name }) => name)
const chart = (id: string, more: object = {}) => ({ id, metric: 'latency', ...more })

describe('dashboards', () => {
  it('keep the order of charts and fill in defaults', async () => {
    const charts = [
      chart('slow', {
        title: 'Slow calls',
        filter: 'gt(latency, "5s")',
        group_by: { attribute: 'model' },
        size: 'wide',
      }),
      chart('mean', { metric: 'feedback', feedback_key: 'helpful', kind: 'bar', scope: 'runs' }),
    ]
    const { body, status } = await save({ name: ' Mine ', session_id: project, charts })
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'Mine', session_id: project, charts })
    expect(body.charts[0]).toMatchObject({ scope: 'traces', kind: 'line', size: 'wide' })
    const read = await app.call(dashboards.read, { params: { dashboard_id: body.id } })
    expect(read.body).toEqual(body)

    const params = { dashboard_id: body.id }
    const turned = (await app.call(dashboards.update, { params, body: { charts: charts.toReversed() } })).body
    expect(turned.charts.map(({ id }) => id)).toEqual(['mean', 'slow'])
    expect(turned.name).toBe('Mine')
  })

  it('belong to a project or to the workspace, and are listed by name', async () => {
    await save({ name: 'Alpha', session_id: other })
    await save({ name: 'Everywhere' })
    expect(await names(other)).toEqual(['Alpha', 'Everywhere'])
    expect(await names()).toEqual(['Everywhere'])
  })

  it('have unique names in their project or workspace', async () => {
    const first = (await save({ name: 'Errors', session_id: other })).body
    expect((await save({ name: 'Errors', session_id: other })).status).toBe(409)
    expect((await save({ name: 'Errors' })).status).toBe(200)
    const params = { dashboard_id: first.id }
    expect((await app.call(dashboards.update, { params, body: { name: 'Alpha' } })).status).toBe(409)
    expect((await app.call(dashboards.update, { params, body: { name: 'Errors' } })).status).toBe(200)
  })

  it('are not overwritten after another change, unless no modification time is given', async () => {
    const { id, modified_at } = (await save({ name: 'Shared' })).body
    const params = { dashboard_id: id }
    const change = (body: object) => app.call(dashboards.update, { params, body })
    expect((await change({ charts: [chart('a')], modified_at })).status).toBe(200)
    const late = await change({ charts: [], modified_at })
    expect(late.status).toBe(409)
    expect(late.body).toMatchObject({ detail: [{ loc: ['body', 'modified_at'], type: 'changed' }] })
    expect((await change({ charts: [] })).status).toBe(200)
  })

  it('are not overwritten where others have changed what the change is based on', async () => {
    const { id, charts } = (await save({ name: 'Based', charts: [chart('a', { title: 'A' })] })).body
    const params = { dashboard_id: id }
    const change = (body: object) => app.call(dashboards.update, { params, body })
    expect((await change({ charts: [chart('b')], expected: { charts } })).status).toBe(200)
    const late = await change({ charts: [], expected: { charts } })
    expect(late.status).toBe(409)
    expect(late.body).toMatchObject({ detail: [{ loc: ['body', 'charts'], type: 'changed' }] })
    // Another field than the changed one.
    expect((await change({ name: 'Based 2', expected: { name: 'Based' } })).status).toBe(200)
    expect((await change({ name: 'Based 3', expected: { name: 'Based' } })).status).toBe(409)
    const { body } = await app.call(dashboards.read, { params })
    expect(body).toMatchObject({ name: 'Based 2', charts: [{ id: 'b' }] })
  })

  it('are deleted, also with their project', async () => {
    const { id } = (await save({ name: 'Short-lived' })).body
    const params = { dashboard_id: id }
    expect((await app.call(dashboards.delete, { params })).status).toBe(204)
    for (const answer of [
      await app.call(dashboards.read, { params }),
      await app.call(dashboards.delete, { params }),
      await app.call(dashboards.update, { params, body: { name: 'x' } }),
    ]) {
      expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('not found')])
    }
    const doomed = (await app.call(contract.projects.create, { body: { name: 'doomed' } })).body.id
    await save({ name: 'Gone', session_id: doomed })
    await app.call(contract.projects.delete, { params: { session_id: doomed } })
    expect(await names(doomed)).not.toContain('Gone')
  })

  it('are visible in their workspace only', async () => {
    const { id } = (await save({ name: 'Private' })).body
    const stranger = uuid7()
    const { db } = app.deps.relational
    expect(await selectDashboards(db, stranger, undefined)).toEqual([])
    expect(await selectDashboard(db, stranger, id)).toBeUndefined()
    expect(await deleteDashboard(db, stranger, id)).toBe(false)
    await expect(changeDashboard(app.deps, stranger, id, { name: 'Mine' })).rejects.toThrow('not found')
    const foreign = { name: 'Theirs', session_id: project, charts: [] }
    await expect(createDashboard(app.deps, stranger, foreign)).rejects.toThrow('not found')
  })

  it.each([
    ['without a name', { name: ' ' }],
    ['of an unknown metric', { charts: [{ id: 'a', metric: 'mood' }] }],
    ['with an invalid filter', { charts: [chart('a', { filter: 'eq(name' })] }],
    ['of feedback without a key', { charts: [chart('a', { metric: 'feedback' })] }],
    ['grouped by metadata without a key', { charts: [chart('a', { group_by: { attribute: 'metadata' } })] }],
    ['with two charts of one id', { charts: [chart('a'), chart('a')] }],
    ['of too many charts', { charts: Array.from({ length: 61 }, (_, at) => chart(`${at}`)) }],
    ['of an invalid project id', { session_id: 'no-id' }],
  ])('%s are rejected', async (_, body) => {
    expect((await save({ name: 'x', ...body })).status).toBe(400)
  })
})
