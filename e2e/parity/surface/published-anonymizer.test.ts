import { Client } from '@touchstone/sdk'
import { createSecretAnonymizer, SECRET_PLACEHOLDER } from 'langsmith/anonymizer'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})
afterAll(() => server?.stop())

it("the published package's anonymizer hides from our server what it hides from others", async () => {
  const secret = `sk-${'a1B2'.repeat(12)}`
  const client = new Client({ apiUrl: server.url, apiKey: 'any', anonymizer: createSecretAnonymizer() })
  const id = crypto.randomUUID()
  await client.createRun({ id, name: 'ask', run_type: 'llm', inputs: { said: `my key is ${secret}` }, outputs: {} })
  await client.awaitPendingTraceBatches()
  const read = await client.readRun(id)
  expect(JSON.stringify(read)).not.toContain(secret)
  expect(read.inputs).toEqual({ said: expect.stringContaining(SECRET_PLACEHOLDER) })
})
