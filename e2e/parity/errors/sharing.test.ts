import { randomUUID } from 'node:crypto'
import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aProjectName } from '../../clients/javascript/a-client.ts'
import { aRunHead } from '../../support/raw-ingest.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { refusalOf } from '../support/refusal-of.ts'
import { callOf, watchClient } from '../support/watch-client.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})
afterAll(() => server?.stop())

describe('sharing', () => {
  it('refuses an answer without a token', async () => {
    // This server always tells the token, so it is cut out on the way.
    const { client } = watchClient(server.url, {}, async ({ call }, ask) => {
      if (call !== callOf(contract.sharing.shareRun)) return undefined
      const { share_token: _, ...rest } = (await (await ask()).json()) as { share_token: string }
      return Response.json(rest)
    })
    const run = aRunHead({ session_name: aProjectName('shared'), inputs: {} })
    await client.multipartIngestRuns({ runCreates: [run] as never })
    expect(await refusalOf(() => client.shareRun(run.id))).toBe('Invalid response from server')
  })

  it('tells status and detail when shared examples cannot be listed', async () => {
    const { client } = watchClient(server.url)
    const sentence = await refusalOf(() => client.listSharedExamples(randomUUID()))
    expect(sentence).toBe('Failed to list shared examples.\nStatus: 404\nMessage: Shared dataset not found')
  })

  it('tells status alone when there is no detail', async () => {
    const { client } = watchClient(server.url, { callerOptions: { maxRetries: 0 } }, async ({ call }) =>
      call === callOf(contract.datasetSharing.publicExamples)
        ? new Response('no', { status: 503, statusText: 'Service Unavailable' })
        : undefined,
    )
    const sentence = await refusalOf(() => client.listSharedExamples(randomUUID()))
    expect(sentence).toBe('Failed to list shared examples: 503 Service Unavailable')
  })

  it('takes a token or a public page for a clone, and names anything else', async () => {
    const { client, taken } = watchClient(server.url)
    for (const given of ['nothing', 'https://example.com/public/nothing/d', 'https://example.com']) {
      const sentence = await refusalOf(() => client.clonePublicDataset(given))
      expect(sentence).toBe(`Invalid public dataset URL or token: ${given}`)
    }
    expect(taken()).toEqual([])
  })

  it('skips an existing clone, and names what to delete when one fails', async () => {
    let isBroken = false
    const said: string[] = []
    const logger = { info: (text: string) => void said.push(text), warn: (text: string) => void said.push(text) }
    const { client } = watchClient(server.url, { logger, callerOptions: { maxRetries: 0 } }, async ({ call }) =>
      isBroken && call === callOf(contract.examples.upload)
        ? Response.json({ detail: 'no' }, { status: 503 })
        : undefined,
    )
    const name = aProjectName('original')
    const { id: datasetId } = await client.createDataset(name)
    await client.createExample({ dataset_id: datasetId, inputs: { q: 1 } })
    const { share_token } = await client.shareDataset(datasetId)
    await client.clonePublicDataset(share_token)
    expect(said).toEqual([`Dataset ${name} already exists in your tenant. Skipping.`])

    isBroken = true
    const datasetName = `${name}-copy`
    await expect(client.clonePublicDataset(share_token, { datasetName })).rejects.toMatchObject({ status: 503 })
    expect(said[1]).toBe(`An error occurred while creating dataset ${datasetName}. You should delete it manually.`)
    expect(await client.hasDataset({ datasetName })).toBe(true)
  })
})

describe('a link', () => {
  it('needs a project to learn the tenant from', async () => {
    // This server keeps a project at all times, so the list is emptied on the way.
    const { client } = watchClient(server.url, {}, async ({ call, query }) =>
      call === callOf(contract.projects.list) && query.limit === '1' ? Response.json([]) : undefined,
    )
    const { id: datasetId } = await client.createDataset(aProjectName('lost'))
    expect(await refusalOf(() => client.getDatasetUrl({ datasetId }))).toBe('No projects found to resolve tenant.')
    const { id: projectId } = await client.createProject({ projectName: aProjectName('lost') })
    expect(await refusalOf(() => client.getProjectUrl({ projectId }))).toBe('No projects found to resolve tenant.')
  })
})
