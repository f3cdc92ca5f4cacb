import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const ID = '2b1f0f5e-6a0e-4f0a-8f0e-0f6f5a1b2c3d'
let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start(({ path }) => ({ body: path === '/sessions' ? [{ id: ID }] : { run_count: 3 } }))
  client = new Client({ apiUrl: server.url, apiKey: 'k' })
})
afterEach(() => server.stop())

const lastBody = () => JSON.parse(server.requests.at(-1)!.body.toString())

describe('run statistics', () => {
  it('need a project', async () => {
    const message = 'At least one of projectNames or projectIds must be provided.'
    await expect(client.getRunStats({ filter: 'x' })).rejects.toThrow(message)
    await expect(client.getRunStats({ projectIds: [] })).rejects.toThrow(message)
    expect(server.requests).toHaveLength(0)
  })

  it('send every condition under its wire name, and projects by id', async () => {
    const stats = await client.getRunStats({
      projectNames: ['named'],
      projectIds: [ID],
      runType: 'llm',
      parentRun: ID,
      referenceExampleIds: [ID],
      startTime: '2025-01-01T00:00:00Z',
      isRoot: true,
      treeFilter: 'eq(name, "a")',
      dataSourceType: 'current',
    })
    expect(stats).toEqual({ run_count: 3 })
    expect(lastBody()).toEqual({
      session: [ID, ID],
      run_type: 'llm',
      parent_run: ID,
      reference_example: [ID],
      start_time: '2025-01-01T00:00:00Z',
      is_root: true,
      tree_filter: 'eq(name, "a")',
      data_source_type: 'current',
    })
  })
})
