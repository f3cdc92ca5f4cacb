import { afterEach, beforeEach, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const [NAMED, GIVEN] = ['2b1f0f5e-6a0e-4f0a-8f0e-0f6f5a1b2c3d', '3b1f0f5e-6a0e-4f0a-8f0e-0f6f5a1b2c3d'] as const
const RESULT = { columns: [{ name: 'n', data_type: 'integer' }], rows: [[3]], row_count: 1 }

let server: Recorder
let client: Client
beforeEach(async () => {
  server = await Recorder.start(({ path }) => ({ body: path.startsWith('/sessions') ? [{ id: NAMED }] : RESULT }))
  client = new Client({ apiUrl: server.url, apiKey: 'k' })
})
afterEach(() => server.stop())

it('a SQL statement names its projects by id', async () => {
  const query = 'select count() as n from feedback'
  expect(await client.querySql({ query, projectIds: [GIVEN], projectNames: ['named'] })).toEqual(RESULT)
  const last = server.requests.at(-1)!
  expect(last).toMatchObject({ method: 'POST', path: '/api/v2/sql/query' })
  expect(JSON.parse(last.body.toString())).toEqual({ project_ids: [GIVEN, NAMED], query })
})

it('a SQL statement without a project is refused before any request', async () => {
  await expect(client.querySql({ query: 'select 1' })).rejects.toThrow('At least one of projectNames')
  await expect(client.querySql({ query: 'select 1', projectIds: ['42'] })).rejects.toThrow(
    'Invalid UUID for projectIds[0]: 42',
  )
  expect(server.requests).toHaveLength(0)
})
