import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const COUNT = 60

/** Runs that were written twice: every third is called `new` since its second version, the others are `old` in both. */
async function seedRenamed(session_name: string): Promise<{ project: string; ids: string[] }> {
  const ids = Array.from({ length: COUNT }, () => uuid7())
  const start = (at: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString()
  const post = ids.map((id, at) => ({ id, name: 'old', run_type: 'chain', session_name, start_time: start(at) }))
  await app.call(contract.runs.batch, { body: { post } })
  const patch = ids.map((id, at) => ({ id, end_time: start(at + 1), ...(at % 3 === 0 && { name: 'new' }) }))
  await app.call(contract.runs.batch, { body: { patch } })
  const [project] = (await app.call(contract.projects.list, { query: { name: session_name } })).body
  return { project: project!.id, ids }
}

async function pagesOf(body: object): Promise<string[][]> {
  const pages: string[][] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const answer = await app.call(contract.runs.query, { body: { ...body, ...(cursor && { cursor }) } })
    pages.push(answer.body.runs.map((run) => run.id))
    cursor = answer.body.cursors.next
  }
  return pages
}

describe('pages of a filter over runs of several versions', () => {
  it.each(['asc', 'desc'])('contain every run with a matching newest version once, %s', async (order) => {
    const { project, ids } = await seedRenamed(`renamed ${order}`)
    const wanted = (isNew: boolean) => ids.filter((_, at) => (at % 3 === 0) === isNew)
    for (const [name, isNew] of [
      ['old', false],
      ['new', true],
    ] as const) {
      const body = { session: [project], filter: `eq(name, "${name}")`, order, limit: 7, select: ['id', 'name'] }
      const pages = await pagesOf(body)
      const expected = order === 'asc' ? wanted(isNew) : wanted(isNew).reverse()
      expect(pages.flat()).toEqual(expected)
      expect(pages.slice(0, -1).every((page) => page.length === 7)).toBe(true)
    }
  })
})
