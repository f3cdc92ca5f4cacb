import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../packages/sdk/test/recorder.ts'
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
