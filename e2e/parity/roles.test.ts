import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { aProjectName } from '../clients/javascript/a-client.ts'
import { aRunHead } from '../support/raw-ingest.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'

let server: StartedServer
/** With a key of the server, which is closed to everybody else by it. */
let owner: Client
let stranger: Client
beforeAll(async () => {
  server = await startServer()
  const apiUrl = `${server.url}/api/v1`
  stranger = new Client({ apiUrl })
  const { key } = await stranger.createApiKey({ description: 'enables authentication' })
  owner = new Client({ apiUrl, apiKey: key })
})
afterAll(() => server?.stop())

it('a stranger reads nothing of a closed server', async () => {
  await expect(stranger.getSettings()).rejects.toMatchObject({ status: 401 })
  await expect(stranger.listDatasets().next()).rejects.toMatchObject({ status: 401 })
})

it('a stranger with its token reads a shared run', async () => {
  const run = aRunHead({ session_name: aProjectName('shared'), inputs: { q: 1 } })
  await owner.multipartIngestRuns({ runCreates: [run] as never })
  const page = await owner.shareRun(run.id)
  expect(await stranger.listSharedRuns(page)).toMatchObject([{ id: run.id }])
  await owner.unshareRun(run.id)
  await expect(stranger.listSharedRuns(page)).rejects.toMatchObject({ status: 404 })
})

it('a stranger with its token reads a shared dataset and its examples', async () => {
  const { id: datasetId } = await owner.createDataset(aProjectName('shared'))
  await owner.createExample({ dataset_id: datasetId, inputs: { q: 1 } })
  const { share_token } = await owner.shareDataset(datasetId)
  expect(await stranger.readSharedDataset(share_token)).toMatchObject({ id: datasetId })
  expect(await stranger.listSharedExamples(share_token)).toMatchObject([{ inputs: { q: 1 } }])
})
