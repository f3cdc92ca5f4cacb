import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { python, runScript } from './run-script.ts'

const former = fileURLToPath(new URL('../../../.venv/former', import.meta.url))
const isInstalled = python !== undefined && existsSync(former)

let server: SharedServer
beforeAll(async () => {
  if (isInstalled) server = await shareServer()
})
afterAll(() => server?.stop())

describe.skipIf(!isInstalled)('the public Python client of early 2025', () => {
  it('creates examples by columns, and finds similar ones, which its successors no longer do', async () => {
    const questions = ['population of Paris', 'mayor of Berlin', 'height of the Eiffel tower in Paris']
    const task = { name: `former-${randomBytes(4).toString('hex')}`, questions }

    const report = await runScript('former_datasets', task, server.url, { PYTHONPATH: former })

    const example = (at: number) => ({
      inputs: { q: questions[at] },
      outputs: { at },
      metadata: { at, dataset_split: ['train'] },
      own: true,
    })
    expect(report).toEqual({
      version: expect.stringMatching(/^0\.3\./),
      similar: [example(0), example(2)],
      filtered: [example(2)],
      left: [
        ['changed', 'too', { at: 0, dataset_split: ['train'] }],
        [questions[2], 2, { at: 2, dataset_split: ['train'] }],
      ],
      splits: ['train'],
      searched_again: { q: 'changed' },
      count: 2,
    })
  })
})
