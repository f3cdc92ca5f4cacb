import { afterAll, beforeAll, expect, it } from 'vitest'
import { aProjectName, collect } from '../clients/javascript/a-client.ts'
import { type SharedServer, shareServer } from '../support/share-server.ts'
import { watchClient } from './support/watch-client.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})
afterAll(() => server?.stop())

it('a page of annotation queues has at most a hundred', async () => {
  const { client, taken } = watchClient(server.url)
  const name = aProjectName('queue')
  await Promise.all(Array.from({ length: 120 }, () => client.createAnnotationQueue({ name })))
  taken()
  const queues = await collect(client.listAnnotationQueues({ name }))
  expect(new Set(queues.map(({ id }) => id)).size).toBe(120)
  expect(taken().map(({ query: { limit, offset } }) => ({ limit, offset }))).toEqual([
    { limit: '100', offset: '0' },
    { limit: '100', offset: '100' },
  ])
  const answer = await fetch(`${server.url}/annotation-queues?limit=101`)
  expect(answer.status).toBe(400)
})

it('calls go side by side, as many as there are', async () => {
  const { client } = watchClient(server.url)
  const { id: datasetId } = await client.createDataset(aProjectName('read by many'))
  const calls = 50
  let [under, most] = [0, 0]
  let release = () => {}
  const all = new Promise<void>((resolve) => {
    release = resolve
  })
  const crowd = watchClient(server.url, {}, async (_, ask) => {
    most = Math.max(most, ++under)
    // No request is answered before all have arrived.
    if (under === calls) release()
    await all
    return await ask()
  })
  const reads = Array.from({ length: calls }, () => crowd.client.readDataset({ datasetId }))
  expect(await Promise.all(reads)).toHaveLength(calls)
  expect(most).toBe(calls)
})
