import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { partsOf, Recorder } from '../../packages/sdk/test/recorder.ts'
import { findBrowser, openBrowser } from '../support/browser.ts'
import { findRuntime } from './find-runtime.ts'

let server: Recorder
beforeEach(async () => {
  server = await Recorder.start()
  server.info = { instance_flags: { gzip_body_enabled: true } }
})
afterEach(() => server.stop())

const program = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Neither the conditions of this repository nor the settings of this machine. */
const env = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' }

async function run(binary: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(binary, [...args, server.url], { env, timeout: 60_000 })
  return stdout.trim()
}

function expectTrace(runtime: string): void {
  expect(server.calls.at(-1)!.headers['content-encoding']).toBe('gzip')
  const [answer, retrieve, fail] = ['answer', 'retrieve', 'fail'].map((name) => server.run(name))
  expect(answer).toMatchObject({ inputs: { input: 'why' }, outputs: { outputs: 'WHY' } })
  expect(answer!.extra.runtime.runtime).toBe(runtime)
  expect(answer!.end_time).toBeDefined()
  expect(retrieve).toMatchObject({ parent_run_id: answer!.id, trace_id: answer!.id, run_type: 'retriever' })
  expect(fail).toMatchObject({ parent_run_id: answer!.id })
  expect(fail!.error).toMatch(/^TypeError: bad/)
}

describe('the built package traces', () => {
  it('in Node, as ES modules', async () => {
    expect(await run(process.execPath, program('main.mjs'))).toBe('["WHY"]')
    expectTrace('node')
    expect(server.run('retrieve').events).toHaveLength(1)
  })

  it('in Node, as CommonJS', async () => {
    await run(process.execPath, program('main.cjs'))
    expect(server.run('inner').parent_run_id).toBe(server.run('outer').id)
  })

  const bun = findRuntime('bun')
  it.skipIf(!bun)('in Bun', async () => {
    expect(await run(bun!, program('main.mjs'))).toBe('["WHY"]')
    expectTrace('bun')
    expect(server.run('retrieve').events).toHaveLength(1)
  })

  const deno = findRuntime('deno')
  it.skipIf(!deno)('in Deno, which lets it reach the network and nothing else', async () => {
    expect(await run(deno!, 'run', '--no-prompt', '--allow-net=127.0.0.1', program('main.mjs'))).toBe('["WHY"]')
    expectTrace('deno')
    expect(server.run('retrieve').events).toHaveLength(1)
  })

  it.skipIf(!findBrowser())('in a browser, where nothing of Node is in the bundle', async () => {
    const { outputFiles } = await build({
      entryPoints: [program('trace.mjs')],
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'program',
      platform: 'browser',
      target: 'es2022',
    })
    const browser = await openBrowser()
    try {
      const page = await browser.newPage()
      await page.goto(new URL(server.url).origin)
      await page.addScriptTag({ content: outputFiles[0]!.text })
      expect(await page.evaluate(`program.trace(${JSON.stringify(server.url)})`)).toEqual(['WHY'])
    } finally {
      await browser.close()
    }
    expectTrace('browser')
  })
})

describe('the built package uploads examples', () => {
  const DATASET = '6f3b2a54-0c0e-4d0e-9a55-0f3a3c6e1d01'
  const runtimes = [
    ['Node', process.execPath, []],
    ['Bun', findRuntime('bun'), []],
    ['Deno', findRuntime('deno'), ['run', '--no-prompt', '--allow-net=127.0.0.1']],
  ] as const

  it.each(runtimes.filter(([, binary]) => binary))('in %s, byte for byte', async (_, binary, args) => {
    server.info = { instance_flags: { dataset_examples_multipart_enabled: true } }
    server.respond((request) => {
      if (request.path === '/info') return undefined
      if (request.path === '/datasets') return { body: [{ id: DATASET }] }
      if (request.method === 'GET') return { body: { id: request.path.split('/').at(-1), inputs: {} } }
      return { body: { count: 1, example_ids: [partsOf(request)[0]!.name] } }
    })

    const id = await run(binary!, ...args, program('upload.mjs'))

    const upload = server.calls.find(({ method }) => method === 'POST')!
    expect(upload.path).toBe(`/platform/datasets/${DATASET}/examples`)
    expect(partsOf(upload)).toEqual([
      { name: id, type: 'application/json', data: Buffer.from('{}') },
      { name: `${id}.inputs`, type: 'application/json', data: Buffer.from('{"text":"é\u2028"}') },
      {
        name: `${id}.attachment.photo %221%22.png`,
        type: 'image/png',
        data: Buffer.from(Uint8Array.from({ length: 256 }, (_, at) => at)),
      },
    ])
  })
})
