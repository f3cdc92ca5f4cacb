import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, aRunHead, postJson } from '../support/raw-ingest.ts'
import { startServer } from '../support/start-server.ts'
import { EditLedger } from './acknowledged-edits.ts'
import { findBrokenPromises, Ledger } from './acknowledged-runs.ts'
import { aSmallDisk, type SmallDisk } from './small-disk.ts'

let disk: SmallDisk | undefined
beforeAll(async () => {
  disk = await aSmallDisk(600)
  if (disk === undefined) console.log('No file system could be mounted here: the full disk is not tested.')
})
afterAll(() => disk?.remove())

/** Posts one run of about 200 kB that does not compress, and notes it when it is acknowledged. */
async function postOne(serverUrl: string, ledger: Ledger): Promise<Answer> {
  const head = aRunHead({ session_name: 'full disk' })
  const inputs = `{"data":"${Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64')}"}`
  const answer = await postJson(
    `${serverUrl}/runs/batch`,
    `{"post":[${JSON.stringify(head).slice(0, -1)},"inputs":${inputs}}]}`,
  )
  if (answer.status === 202) ledger.created(head.id, inputs)
  return answer
}

/** Large enough to need new pages of the relational store. */
function createProject(serverUrl: string, name: string): Promise<Answer> {
  return postJson(`${serverUrl}/sessions?upsert=true`, JSON.stringify({ name, description: 'd'.repeat(20_000) }))
}

async function projectNames(serverUrl: string): Promise<string[]> {
  const names: string[] = []
  for (let offset = 0; ; offset += 100) {
    const page = (await (await fetch(`${serverUrl}/sessions?limit=100&offset=${offset}`)).json()) as { name: string }[]
    if (page.length === 0) return names
    names.push(...page.map((project) => project.name))
  }
}

describe('a disk that fills up', () => {
  it('refuses new runs with a clear sentence, loses none, and takes runs again once there is space', async (test) => {
    if (disk === undefined) return test.skip()
    const server = await startServer({ dataDir: disk.folder })
    const ledger = new Ledger()
    for (let at = 0; at < 30; at++) expect((await postOne(server.url, ledger)).status).toBe(202)
    // What is acknowledged but not in the column store yet can only be read once there is space again.
    expect(await findBrokenPromises(server.url, ledger, ledger.toCheck(true))).toEqual([])

    await disk.fill()
    const answers: Answer[] = []
    for (let at = 0; at < 20; at++) answers.push(await postOne(server.url, ledger))
    const refused = answers.filter(({ status }) => status !== 202)

    expect(refused.length).toBeGreaterThan(0)
    for (const { status, headers, text } of refused) {
      expect(status).toBe(503)
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(text).toMatch(/space|disk|full|stor/i)
    }
    expect(await findBrokenPromises(server.url, ledger, ledger.toCheck(true))).toEqual([])
    const projects: string[] = []
    for (let at = 0; at < 200; at++) {
      const name = `while full ${at}`
      if ((await createProject(server.url, name)).status === 200) projects.push(name)
    }

    await disk.free()
    await expect.poll(async () => (await createProject(server.url, 'once free')).status, { timeout: 30_000 }).toBe(200)
    await expect
      .poll(async () => (await postOne(server.url, ledger)).status, { timeout: 30_000, interval: 250 })
      .toBe(202)
    for (let at = 0; at < 10; at++) expect((await postOne(server.url, ledger)).status).toBe(202)
    expect(await findBrokenPromises(server.url, ledger, ledger.toCheck(true))).toEqual([])

    await server.kill()
    const again = await startServer({ dataDir: disk.folder })
    expect(await findBrokenPromises(again.url, ledger, ledger.toCheck(true))).toEqual([])
    expect(await projectNames(again.url)).toEqual(expect.arrayContaining([...projects, 'once free']))
    console.log(`${projects.length} projects could be created on the full disk`)
    await again.kill()
  })

  it('loses no example, feedback, commit or attachment that it acknowledged', async (test) => {
    if (disk === undefined) return test.skip()
    const server = await startServer({ dataDir: disk.folder })
    const run = aRunHead({ session_name: 'full disk' })
    expect((await postJson(`${server.url}/runs`, JSON.stringify(run))).status).toBe(202)
    const dataset = await postJson(`${server.url}/datasets`, JSON.stringify({ name: 'full disk' }))
    const targets = { datasetId: (JSON.parse(dataset.text) as { id: string }).id, runId: run.id }
    const ledger = new EditLedger()
    expect((await ledger.tryAll(server.url, targets)).map(({ status }) => status < 300)).toEqual([
      true,
      true,
      true,
      true,
    ])
    // What is acknowledged but not in the column store yet can only be read once there is space again.
    expect(await ledger.findLost(server.url)).toEqual([])

    await disk.fill()
    const whileFull: Answer[] = []
    for (let at = 0; at < 10; at++) whileFull.push(...(await ledger.tryAll(server.url, targets)))
    const refused = whileFull.filter(({ status }) => status >= 300)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, text } of refused) {
      expect({ status, text }).toEqual({ status: 503, text: expect.stringMatching(/space|disk|full|stor/i) })
    }
    expect(await ledger.findLost(server.url)).toEqual([])

    await disk.free()
    await expect
      .poll(async () => (await ledger.tryAll(server.url, targets)).every(({ status }) => status < 300), {
        timeout: 30_000,
        interval: 500,
      })
      .toBe(true)
    await server.kill()
    const again = await startServer({ dataDir: disk.folder })
    expect(await ledger.findLost(again.url)).toEqual([])
    console.log(`${ledger.acknowledged.length} edits were acknowledged around the full disk, all are there`)
    await again.kill()
  })
})
