import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRunHead } from '../../support/raw-ingest.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aClient, aProjectName, collect } from './a-client.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})
afterAll(() => server?.stop())

/** Roots one second apart, oldest first. */
async function givenRoots(projectName: string, count: number) {
  const client = aClient(server.url)
  const startMs = Date.now() - count * 1000
  const heads = Array.from({ length: count }, (_, at) =>
    aRunHead({
      name: `root ${at}`,
      session_name: projectName,
      start_time: new Date(startMs + at * 1000).toISOString(),
      inputs: { at },
      ...(at % 10 === 0 ? { error: 'tenth' } : {}),
      run_type: at % 2 === 0 ? 'chain' : 'tool',
    }),
  )
  for (let at = 0; at < count; at += 100) {
    await client.multipartIngestRuns({ runCreates: heads.slice(at, at + 100) as never })
  }
  return { client, heads }
}

describe('listRuns of the public JavaScript client', () => {
  it('pages through more runs than one answer holds, newest first, each once', async () => {
    const projectName = aProjectName('paged')
    const { client, heads } = await givenRoots(projectName, 1234)

    const thousand = await collect(client.listRuns({ projectName, limit: 1000 }))
    const all = await collect(client.listRuns({ projectName }))
    const upwards = await collect(client.listRuns({ projectName, order: 'asc', limit: 150 }))

    const newestFirst = heads.map((head) => head.id).reverse()
    expect(thousand.map((run) => run.id)).toEqual(newestFirst.slice(0, 1000))
    expect(all.map((run) => run.id)).toEqual(newestFirst)
    expect(upwards.map((run) => run.id)).toEqual(heads.slice(0, 150).map((head) => head.id))
  })

  it('filters by error, type, time, id, and selects fields', async () => {
    const projectName = aProjectName('filtered')
    const { client, heads } = await givenRoots(projectName, 40)

    const failed = await collect(client.listRuns({ projectName, error: true }))
    const fine = await collect(client.listRuns({ projectName, error: false }))
    const tools = await collect(client.listRuns({ projectName, runType: 'tool' }))
    const late = await collect(client.listRuns({ projectName, startTime: new Date(String(heads[30]!.start_time)) }))
    const two = await collect(client.listRuns({ id: [heads[3]!.id, heads[5]!.id] }))
    const slim = await collect(client.listRuns({ projectName, select: ['id', 'name'], limit: 1 }))

    expect(failed).toHaveLength(4)
    expect(fine).toHaveLength(36)
    expect(tools).toHaveLength(20)
    expect(late.map((run) => run.name)).toContain('root 30')
    expect(late).toHaveLength(10)
    expect(two.map((run) => run.id).sort()).toEqual([heads[3]!.id, heads[5]!.id].sort())
    expect(slim[0]).not.toHaveProperty('inputs')
  })

  it('finds nothing for a project that holds nothing', async () => {
    const client = aClient(server.url)
    const projectName = aProjectName('empty')
    await client.createProject({ projectName })

    expect(await collect(client.listRuns({ projectName }))).toEqual([])
  })
})

describe('createRun and updateRun without batching', () => {
  it('record a run by project name, derive its place, and finish it', async () => {
    const client = aClient(server.url, { autoBatchTracing: false })
    const [id, child] = [randomUUID(), randomUUID()]
    const project_name = aProjectName('direct')

    await client.createRun({ id, name: 'root', run_type: 'chain', inputs: { a: 1 }, project_name })
    await client.createRun({ id: child, name: 'child', run_type: 'tool', inputs: {}, parent_run_id: id, project_name })
    await client.updateRun(child, { end_time: Date.now(), outputs: { b: 2 } })
    await client.updateRun(id, { end_time: Date.now(), outputs: { c: 3 } })
    const read = await client.readRun(id, { loadChildRuns: true })

    expect(read).toMatchObject({ status: 'success', inputs: { a: 1 }, outputs: { c: 3 }, trace_id: id })
    expect(read.child_runs).toMatchObject([{ id: child, status: 'success', outputs: { b: 2 }, trace_id: id }])
  })

  it('answer a run that is not there with "not found"', async () => {
    await expect(aClient(server.url).readRun(randomUUID())).rejects.toThrow(/not found/i)
  })
})

describe('projects of the public JavaScript client', () => {
  it('are created, read, found, changed, linked to and deleted', async () => {
    const client = aClient(server.url)
    const projectName = aProjectName('project')

    const created = await client.createProject({ projectName, description: 'first', metadata: { team: 'care' } })
    await expect(client.createProject({ projectName })).rejects.toMatchObject({ name: 'LangSmithConflictError' })
    const upserted = await client.createProject({ projectName, upsert: true, description: 'second' })
    expect(upserted.id).toBe(created.id)

    expect(await client.hasProject({ projectName })).toBe(true)
    expect(await client.hasProject({ projectName: aProjectName('absent') })).toBe(false)
    await expect(client.readProject({ projectName: aProjectName('absent') })).rejects.toThrow(/not found/)
    expect(await client.readProject({ projectId: created.id })).toMatchObject({
      name: projectName,
      description: 'second',
    })

    const renamed = await client.updateProject(created.id, { name: `${projectName}-2`, metadata: { stage: 'x' } })
    expect(renamed).toMatchObject({ name: `${projectName}-2`, description: 'second' })
    expect(renamed.extra?.metadata).toMatchObject({ stage: 'x' })
    expect(await collect(client.listProjects({ nameContains: projectName.toUpperCase() }))).toMatchObject([
      { id: created.id },
    ])
    expect(await collect(client.listProjects({ metadata: { stage: 'x' } }))).toMatchObject([{ id: created.id }])

    const url = await client.getProjectUrl({ projectId: created.id })
    expect(url).toBe(`http://localhost:3000/o/${created.tenant_id}/projects/p/${created.id}`)

    await client.deleteProject({ projectId: created.id })
    expect(await client.hasProject({ projectName: `${projectName}-2` })).toBe(false)
  })

  it('carry true figures when they are asked for', async () => {
    const projectName = aProjectName('figures')
    const { client } = await givenRoots(projectName, 20)

    const project = await client.readProject({ projectName, includeStats: true })

    expect(project).toMatchObject({ run_count: 20 })
    expect((project as { error_rate?: number }).error_rate).toBeCloseTo(0.1)
  })

  it('are listed page after page', async () => {
    const client = aClient(server.url)
    const word = aProjectName('many')
    for (let at = 0; at < 120; at++) await client.createProject({ projectName: `${word}-${at}` })

    const listed = await collect(client.listProjects({ nameContains: word }))

    expect(new Set(listed.map((project) => project.name)).size).toBe(120)
  })
})

describe('links the public JavaScript client prints', () => {
  it('lead to the run', async () => {
    const projectName = aProjectName('linked')
    const { client, heads } = await givenRoots(projectName, 1)
    const run = await client.readRun(heads[0]!.id)

    const byId = await client.getRunUrl({ runId: run.id })
    const byRun = await client.getRunUrl({ run })

    expect(byId).toContain(`/projects/p/${run.session_id}/r/${run.id}`)
    expect(byRun).toContain(`/projects/p/${run.session_id}/r/${run.id}?poll=true`)
  })
})
