import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aProjectName } from '../javascript/a-client.ts'
import { python, runScript } from '../python/run-script.ts'

let server: SharedServer
let report: { methods: string[]; known: string[]; problems: Record<string, string[]> }
beforeAll(async () => {
  if (python === undefined) return
  server = await shareServer()
  report = await runScript('every_method', { name: aProjectName('every') }, server.url)
})
afterAll(() => server?.stop())

describe.skipIf(python === undefined)('every public method of the published Python client', () => {
  it('is called by the program, or has a reason why not', () => {
    expect(report.methods.length).toBeGreaterThan(100)
    expect(report.known).toEqual(report.methods)
  })

  it('works without an error or a warning', () => {
    expect(report.problems).toEqual({})
  })
})
