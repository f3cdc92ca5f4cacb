import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { partsOf, Recorder } from '../../../test/recorder.ts'

let server: Recorder
/** Never answers, so that nothing is delivered before a process ends, however slow it is. */
let silent: { readonly url: string; close(): void }
beforeEach(async () => {
  server = await Recorder.start()
  silent = await startSilent()
})
afterEach(async () => {
  silent.close()
  await server.stop()
})

async function startSilent() {
  const listener = createServer(() => {})
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const close = () => {
    listener.close()
    listener.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, close }
}

const fixture = new URL('../../../test/fixtures/record-and-end.ts', import.meta.url).pathname
const fixtureOfMuch = new URL('../../../test/fixtures/record-much-and-end.ts', import.meta.url).pathname

async function end(how: string, env: Record<string, string> = {}, program = fixture) {
  const options = { env: { ...process.env, TOUCHSTONE_ENDPOINT: server.url, ...env } }
  return await promisify(execFile)(
    process.execPath,
    ['--conditions=touchstone:source', '--import', 'tsx', program, how],
    options,
  )
}

describe('a process that ends', () => {
  it('by running out of work delivers everything first', async () => {
    await end('naturally')
    expect(server.run('answer').outputs).toEqual({ outputs: 'why!' })
  })

  it('by running out of work delivers what was never flushed by hand', async () => {
    await end('manual')
    expect(server.run('answer').outputs).toEqual({ outputs: 'why!' })
  })

  it('by process.exit warns about lost runs', async () => {
    const { stderr } = await end('exit', { TOUCHSTONE_ENDPOINT: silent.url })
    expect(stderr).toContain('1 runs not delivered: call flush() before process.exit()')
  })

  it('by process.exit loses nothing after a flush', async () => {
    const { stderr } = await end('flush')
    expect(stderr).not.toContain('not delivered')
    expect(server.runs).toHaveLength(1)
  })

  it('by process.exit writes what is left to the dump directory', async () => {
    expect(await listDumped(fixture)).toContain('.outputs')
  })

  it('by process.exit writes also what was to be recorded in a later turn', async () => {
    expect(await listDumped(fixtureOfMuch)).toContain('.outputs')
  })

  /** Names of the parts in the dump directory after a program. */
  async function listDumped(program: string): Promise<string[]> {
    const directory = mkdtempSync(join(tmpdir(), 'dump-'))
    await end('exit', { TOUCHSTONE_ENDPOINT: silent.url, LANGSMITH_FAILED_TRACES_DIR: directory }, program)
    const parts = readdirSync(directory).flatMap((name) => {
      const { body_base64, headers } = JSON.parse(readFileSync(join(directory, name), 'utf8'))
      const body = Buffer.from(body_base64, 'base64')
      const request = { method: 'POST', path: '', query: new URLSearchParams(), at: 0, body }
      return partsOf({ ...request, headers: { 'content-type': headers['Content-Type'] } })
    })
    return parts.map((part) => part.name.replace(/^\w+\.[0-9a-f-]{36}/, ''))
  }
})
